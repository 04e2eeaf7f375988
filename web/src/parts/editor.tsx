/*
 * The SQL editor. It is in a shadow root, which adopts CodeMirror's style sheets: the
 * Content-Security-Policy forbids writing them into the page. Colours come from the
 * page's custom properties, which the shadow root inherits.
 */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type CompletionSource } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from "@codemirror/commands";
import type { SQLDialect } from "@codemirror/lang-sql";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, Prec } from "@codemirror/state";
import { drawSelection, EditorView, keymap, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "preact/hooks";

/* What is wrong, and where: characters from 1, as the server counts them. */
export interface Fault { position: number; message: string }

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--accent)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--warn)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--number, var(--accent))" },
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: [tags.typeName, tags.standard(tags.name)], color: "var(--ink)", fontWeight: "600" },
]);

const THEME = EditorView.theme({
  "&": { fontSize: "0.95rem", color: "var(--ink)", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6" },
  ".cm-content": { padding: "0.9rem 0", minHeight: "8.5rem", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 1.1rem" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  ".cm-placeholder": { color: "var(--soft)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    { background: "var(--accent-wash)" },
  ".cm-matchingBracket": { backgroundColor: "var(--accent-wash)", outline: "1px solid var(--line)" },
  ".cm-lintRange-error": {
    backgroundImage: "none", textDecoration: "underline wavy var(--bad) 1.5px", textUnderlineOffset: "4px",
    backgroundColor: "var(--bad-wash)",
  },
  ".cm-tooltip": {
    border: "1px solid var(--line)", borderRadius: "8px", backgroundColor: "var(--sheet)",
    color: "var(--ink)", boxShadow: "0 6px 24px rgb(0 0 0 / 0.18)", overflow: "hidden",
  },
  ".cm-diagnostic": { padding: "0.4rem 0.75rem", borderLeft: "4px solid var(--bad)", maxWidth: "32rem" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "0.85rem", maxHeight: "17em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "0.2rem 0.6rem", lineHeight: "1.5" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--accent)", color: "var(--accent-ink)" },
  ".cm-tooltip-autocomplete li[aria-selected] .cm-completionDetail": { color: "inherit" },
  ".cm-completionDetail": { color: "var(--soft)", fontStyle: "normal", marginLeft: "1em" },
  ".cm-completionInfo": { padding: "0.4rem 0.75rem", maxWidth: "20rem" },
});

/*
 * Replaces a selection by typed text. Chromium would keep the style of the replaced
 * text in a style attribute, which the Content-Security-Policy forbids.
 */
const TYPE_OVER = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const root = view.root as DocumentOrShadowRoot & { getSelection?(): Selection | null };
    const selected = root.getSelection?.(), text = event.data;
    if (event.inputType !== "insertText" || text === null || view.composing ||
        !selected?.anchorNode || !selected.focusNode || selected.isCollapsed)
      return false;
    const ends = [view.posAtDOM(selected.anchorNode, selected.anchorOffset),
      view.posAtDOM(selected.focusNode, selected.focusOffset)];
    const from = Math.min(...ends), to = Math.max(...ends);
    const insert = () => view.state.update({
      changes: { from, to, insert: text }, selection: { anchor: from + text.length }, userEvent: "input.type",
    });
    if (!view.state.facet(EditorView.inputHandler).some((takes) => takes(view, from, to, text, insert)))
      view.dispatch(insert());
    return true;
  },
});

/* How many UTF-16 units are before the character at `position`, counted from 1. */
function unitsBefore(text: string, position: number): number {
  let units = 0, n = 1;
  for (const letter of text) {
    if (n++ >= position) break;
    units += letter.length;
  }
  return units;
}

/* What to underline: the word that begins at the position, otherwise one character. */
function spanAt(text: string, position: number): { from: number; to: number } {
  const from = unitsBefore(text, position);
  if (from >= text.length) {
    const end = text.trimEnd().length;
    return { from: Math.max(0, end - 1), to: end };
  }
  const word = /^(\w+|"[^"]*"|'[^']*')/.exec(text.slice(from));
  return { from, to: from + (word?.[0].length ?? 1) };
}

export interface EditorProps {
  initial: string;
  /* Text from outside the editor: each new object replaces the contents. */
  put: { text: string } | null;
  label: string;
  describedBy: string;
  hint: string;
  dialect: SQLDialect;
  fault: Fault | null;
  complete: CompletionSource | null;
  onChange(text: string): void;
  onRun(): void;
}

export function Editor({ initial, put, label, describedBy, hint, dialect, fault, complete, onChange, onRun }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const completion = useRef(new Compartment());
  /* CodeMirror keeps its first extensions, so they read the current props from here. */
  const now = useRef({ onChange, onRun });
  now.current = { onChange, onRun };

  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: "open" });
    const editor = new EditorView({
      root, parent: root,
      state: EditorState.create({
        doc: initial,
        extensions: [
          Prec.highest(keymap.of([{ key: "Mod-Enter", run: () => (now.current.onRun(), true) }])),
          history(), drawSelection(), bracketMatching(), closeBrackets(), placeholder(hint),
          EditorView.lineWrapping, TYPE_OVER,
          dialect.language, completion.current.of([]),
          syntaxHighlighting(COLOURS), THEME,
          keymap.of([...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
          EditorView.contentAttributes.of({
            "aria-label": label, "aria-description": describedBy, spellcheck: "false",
          }),
          EditorView.updateListener.of((u) => {
            if (u.docChanged) now.current.onChange(u.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, []);

  /* Undo takes back this change alone, not what was typed just before. */
  useEffect(() => {
    if (!put) return;
    const editor = view.current!;
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: put.text },
      selection: { anchor: put.text.length },
      annotations: isolateHistory.of("full"),
    });
  }, [put]);

  useEffect(() => {
    view.current!.dispatch({
      effects: completion.current.reconfigure(
        complete ? autocompletion({ override: [complete], icons: false }) : []),
    });
  }, [complete]);

  useEffect(() => {
    const editor = view.current!;
    const text = editor.state.doc.toString();
    editor.dispatch(setDiagnostics(editor.state, fault && text.trim()
      ? [{ ...spanAt(text, fault.position), severity: "error" as const, message: fault.message }] : []));
  }, [fault]);

  return <div class="editor" ref={host} />;
}
