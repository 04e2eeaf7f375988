/*
 * Saves a chart as a self-contained file: copies the styles from the classes into every
 * element and puts the caption below. The file loads nothing.
 */

const LOOKS = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray",
  "stroke-linejoin", "stroke-linecap", "opacity", "font-family", "font-size", "font-weight",
  "paint-order",
];
const SVG = "http://www.w3.org/2000/svg";
const LINE = 18;
const SHARPNESS = 2; /* PNG pixels per pixel of the page */

export function saveBlob(blob: Blob, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function saveText(text: string, type: string, name: string) {
  saveBlob(new Blob([text], { type: `${type};charset=utf-8` }), name);
}

function wrapped(words: string[], letters: number): string[] {
  return words.flatMap((text) => {
    const lines: string[] = [""];
    for (const word of text.split(/\s+/)) {
      const last = lines[lines.length - 1]!;
      if (last && last.length + word.length >= letters) lines.push(word);
      else lines[lines.length - 1] = last ? `${last} ${word}` : word;
    }
    return lines;
  });
}

/* Copies the computed styles of an element and of everything below it into attributes. */
function resolveLooks(from: Element, to: Element) {
  const looks = getComputedStyle(from);
  for (const name of LOOKS) {
    const value = looks.getPropertyValue(name);
    if (value) to.setAttribute(name, value);
  }
  to.removeAttribute("class");
  Array.from(from.children).forEach((child, i) => resolveLooks(child, to.children[i]!));
}

function standalone(chart: SVGSVGElement, caption: string[]): { svg: SVGSVGElement; width: number; height: number } {
  const svg = chart.cloneNode(true) as SVGSVGElement;
  resolveLooks(chart, svg);
  const page = getComputedStyle(document.documentElement);
  const paper = getComputedStyle(document.body);
  const width = chart.width.baseVal.value, above = chart.height.baseVal.value;
  const lines = wrapped(caption, Math.floor(width / 7));
  const height = above + (lines.length ? lines.length * LINE + 16 : 0);

  const ground = document.createElementNS(SVG, "rect");
  ground.setAttribute("width", String(width));
  ground.setAttribute("height", String(height));
  ground.setAttribute("fill", paper.backgroundColor);
  svg.prepend(ground);
  lines.forEach((line, i) => {
    const text = document.createElementNS(SVG, "text");
    text.setAttribute("x", "14");
    text.setAttribute("y", String(above + 14 + i * LINE));
    text.setAttribute("fill", paper.color);
    text.setAttribute("font-family", page.fontFamily);
    text.setAttribute("font-size", "12");
    text.textContent = line;
    svg.append(text);
  });
  svg.setAttribute("height", String(height));
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  return { svg, width, height };
}

/* Characters that XML does not allow, not even escaped. */
const FORBIDDEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

function svgBlob(svg: SVGSVGElement): Blob {
  const text = new XMLSerializer().serializeToString(svg).replace(FORBIDDEN, "\ufffd");
  return new Blob([text], { type: "image/svg+xml" });
}

/* `caption`: what the picture shows, for readers who see only the file. */
export function saveSvg(chart: SVGSVGElement, name: string, caption: string[]) {
  saveBlob(svgBlob(standalone(chart, caption).svg), `${name}.svg`);
}

export async function savePng(chart: SVGSVGElement, name: string, caption: string[]) {
  const { svg, width, height } = standalone(chart, caption);
  const url = URL.createObjectURL(svgBlob(svg));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width * SHARPNESS;
    canvas.height = height * SHARPNESS;
    const paper = canvas.getContext("2d")!;
    paper.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (!blob) throw new Error("the picture could not be drawn");
    saveBlob(blob, `${name}.png`);
  } finally {
    URL.revokeObjectURL(url);
  }
}
