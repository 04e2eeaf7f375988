/* A chart with its caption, its numbers as a table, and downloads. */
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { savePng, saveSvg } from "./save";

export interface Numbers { head: string[]; rows: (string | number)[][] }

export function NumbersTable({ of, caption }: { of: Numbers; caption: string }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead><tr>{of.head.map((h) => <th scope="col">{h}</th>)}</tr></thead>
        <tbody>{of.rows.map((row) => <tr>{row.map((cell) => <td>{cell}</td>)}</tr>)}</tbody>
      </table>
    </div>
  );
}

export function Figure({ name, title, caption = [], numbers, children }: {
  name: string; /* of the downloaded files */
  title: string;
  caption?: string[]; /* below the chart in downloaded files */
  numbers?: Numbers;
  children: ComponentChildren;
}) {
  const figure = useRef<HTMLElement>(null);
  const [open, setOpen] = useState(false); /* long tables are rendered only when opened */
  const chart = () => figure.current!.querySelector<SVGSVGElement>("svg.chart")!;
  return (
    <figure class="figure" ref={figure} aria-label={title}>
      {children}
      <figcaption class="tools">
        {numbers && (
          <details onToggle={(e) => setOpen(e.currentTarget.open)}>
            <summary>The numbers as a table</summary>
            {open && <NumbersTable of={numbers} caption={title} />}
          </details>
        )}
        <span class="saves">
          <button type="button" class="quiet small" aria-label={`Save “${title}” as SVG`}
            onClick={() => saveSvg(chart(), name, caption)}>SVG</button>
          <button type="button" class="quiet small" aria-label={`Save “${title}” as PNG`}
            onClick={() => void savePng(chart(), name, caption)}>PNG</button>
        </span>
      </figcaption>
    </figure>
  );
}
