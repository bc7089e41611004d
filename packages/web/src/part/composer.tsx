import { useEffect, useRef, useState } from "preact/hooks";

interface ComposerProps {
  readonly id: string;
  readonly isWorking: boolean;
  onSend(path: string, body?: object): Promise<unknown>;
}

/** Drafts outlive a change of pages. */
const drafts = new Map<string, string>();

/** Enter sends the form of a text, Shift+Enter makes a line. */
export function sendOnEnter(event: KeyboardEvent): void {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  const box = event.currentTarget as HTMLTextAreaElement;
  if (box.value.trim() !== "") box.form?.requestSubmit();
}

/** The prompt. Enter sends, Shift+Enter makes a line; a slash begins a command; Escape stops the work. */
export function Composer({ id, isWorking, onSend }: ComposerProps) {
  const [text, setText] = useState(drafts.get(id) ?? "");
  const box = useRef<HTMLTextAreaElement>(null);
  const set = (next: string): void => {
    drafts.set(id, next);
    setText(next);
  };

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isTyping = /^(?:INPUT|TEXTAREA|SELECT)$/.test((event.target as HTMLElement).tagName);
      if (event.key === "/" && !isTyping) {
        event.preventDefault();
        box.current?.focus();
      }
      // An open dialog takes the key for itself.
      const isFree = document.querySelector("dialog[open]") === null;
      if (event.key === "Escape" && isWorking && isFree) void onSend("interrupt");
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [isWorking]);

  const submit = (): void => {
    const prompt = text.trim();
    if (prompt === "") return;
    set("");
    const command = /^\/([\w:-]+)(?:\s+([\s\S]*))?$/.exec(prompt);
    if (command) void onSend("command", { name: command[1], arguments: command[2] ?? "" });
    else void onSend("prompt", { text: prompt });
  };

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <textarea
        ref={box}
        aria-label="Prompt"
        placeholder={isWorking ? "Queue a prompt …" : "Describe the task"}
        rows={Math.min(10, text.split("\n").length)}
        value={text}
        onInput={(event) => set(event.currentTarget.value)}
        onKeyDown={sendOnEnter}
      />
      {isWorking && (
        <button type="button" class="deny" onClick={() => void onSend("interrupt")}>
          Stop <kbd>Esc</kbd>
        </button>
      )}
      <button type="submit" class="allow" disabled={text.trim() === ""}>
        {isWorking ? "Queue" : "Send"}
      </button>
    </form>
  );
}
