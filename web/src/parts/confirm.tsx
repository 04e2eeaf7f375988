/* A confirmation of an act that cannot be undone. Escape and the first button cancel it. */
import { useEffect, useRef } from "preact/hooks";

export function Confirm({ title, act, busy, children, onYes, onNo }: {
  title: string; act: string; busy: boolean; children: preact.ComponentChildren;
  onYes: () => void; onNo: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = dialog.current!;
    shown.showModal();
    return () => shown.close(); /* returns the focus */
  }, []);
  return (
    <dialog ref={dialog} class="confirm" aria-labelledby="confirm-title"
      onCancel={(e) => { e.preventDefault(); onNo(); }}>
      <h2 id="confirm-title">{title}</h2>
      {children}
      <div class="row">
        <button type="button" class="quiet" onClick={onNo} disabled={busy}>Cancel</button>
        <button type="button" class="danger" onClick={onYes} disabled={busy}>{act}</button>
      </div>
    </dialog>
  );
}
