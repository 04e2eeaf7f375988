/* New credentials, shown once: not even the server can show them again. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { NewSecrets } from "../api";

function Secret({ name, use, value }: { name: string; use: string; value: string }) {
  const [copied, setCopied] = useState<string | null>(null);
  const copy = () => navigator.clipboard.writeText(value).then(
    () => setCopied("Copied"), () => setCopied("Select and copy it by hand"));
  return (
    <div class="secret">
      <div><strong>{name}</strong> <span class="soft">{use}</span></div>
      <div class="row">
        <code>{value}</code>
        <button type="button" class="quiet small" onClick={copy}>Copy<span class="unseen"> the {name}</span></button>
        <span class="soft" role="status">{copied}</span>
      </div>
    </div>
  );
}

export function Secrets({ of, close }: { of: NewSecrets; close: () => void }) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), [of]);
  return (
    <section ref={panel} tabIndex={-1} class="news good secrets" aria-label={`Credentials of ${of.name}`}>
      <p>
        <strong>Give these to {of.name}.</strong> They are shown only once; the store keeps only what
        it needs to check them.
      </p>
      {of.password && <Secret name="password" use="for PostgreSQL clients" value={of.password} />}
      {of.token && <Secret name="token" use="for this page and HTTP" value={of.token} />}
      <button type="button" onClick={close}>Done, hide them</button>
    </section>
  );
}
