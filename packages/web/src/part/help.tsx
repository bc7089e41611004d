import { useEffect, useRef } from "preact/hooks";

const KEYS = [
  ["/", "go to the prompt"],
  ["Enter", "send; Shift+Enter makes a new line"],
  ["Esc", "stop the work"],
  ["q", "focus the next question"],
  ["y, n, e", "allow, deny or edit the focused question"],
  ["← →", "time travel: the call before and after"],
  ["g s", "sessions"],
  ["g a", "approvals"],
  ["g t", "schedules"],
  ["g j", "journal"],
  ["g p", "policy"],
  ["g w", "workers, if there is a queue"],
  ["g ,", "settings"],
  ["?", "this list"],
] as const;

/** The keys of the console. */
export function HelpDialog({ onClose }: { onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={onClose} aria-label="Keys">
      <h2>Keys</h2>
      <dl class="keys">
        {KEYS.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit" class="quiet">
          Close
        </button>
      </form>
    </dialog>
  );
}
