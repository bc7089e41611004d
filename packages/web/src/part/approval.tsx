import {
  type Answer,
  type ApprovalRequest,
  askedBy,
  formDefaults,
  formProblem,
  questionHead,
  questionParts,
} from "@haft/core/approval";
import type { Suggestion } from "@haft/core/policy";
import type { Display } from "@haft/core/tool";
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { type ApiError, post } from "../lib/api.ts";
import { isMisplaced } from "../lib/inbox.ts";
import { clean, Effects, Failure, place } from "./bits.tsx";
import { Shown } from "./display.tsx";
import { FormFields } from "./form.tsx";
import { InputEditor } from "./input-editor.tsx";

export interface ApprovalProps {
  readonly request: ApprovalRequest;
  /** Binds the answer to exactly what is shown. */
  readonly digest?: string;
  /** The place that the question comes from. */
  readonly origin?: ComponentChildren;
}

/** A question: what, who, which effects, why; and the answers. Nothing is answered by a focus or a stray key. */
export function ApprovalCard({ request, digest, origin }: ApprovalProps) {
  const [error, setError] = useState<string>();
  const [isSending, setSending] = useState(false);
  // Without the digest, an answer would not be bound to what is shown.
  const isBusy = isSending || digest === undefined;
  const [always, setAlways] = useState<Suggestion>();
  const [isEditing, setEditing] = useState(false);
  const [input, setInput] = useState<unknown>(request.form && formDefaults(request.form));
  const [message, setMessage] = useState("");
  const card = useRef<HTMLElement>(null);

  async function answer(given: Answer): Promise<void> {
    setSending(true);
    setError(undefined);
    try {
      await post(`/api/approvals/${request.id}/answer`, { answer: given, digest });
    } catch (thrown) {
      const { code, message: why } = thrown as ApiError;
      setError(code === "already_settled" ? `Somebody else answered first: ${why}` : why);
      setSending(false);
    }
  }

  /** A click that was meant for a question that has just gone answers nothing. */
  const onClick = (act: () => unknown) => (event: MouseEvent) => void (isMisplaced(event) || act());
  const head = questionHead(request);

  const words = message.trim() === "" ? {} : { message: message.trim() };
  const allow = async (remember?: Suggestion): Promise<void> => {
    const problem = request.form && formProblem(request.form, input);
    if (problem !== undefined) return setError(`Not sent: ${problem}.`);
    await answer({
      behavior: "allow",
      ...(remember ? { remember } : {}),
      ...(input === undefined ? {} : { input }),
      ...words,
    });
  };
  const deny = (): Promise<void> => answer({ behavior: "deny", ...words });

  /** Keys count only while the card itself has the focus. */
  const onKey = (event: KeyboardEvent): void => {
    if (event.target !== card.current || event.ctrlKey || event.metaKey || event.altKey || isBusy) return;
    if (event.key === "y" && !request.destructive) void allow();
    else if (event.key === "n") void deny();
    else if (event.key === "e") setEditing(true);
    else return;
    event.preventDefault();
  };

  return (
    <article
      ref={card}
      tabIndex={-1}
      class={`approval ${request.destructive ? "approval-bad" : ""}`}
      onKeyDown={onKey}
      aria-label={`Approval: ${clean(head)}`}
    >
      <header>
        <h3>{clean(head)}</h3>
        <p class="dim">
          {request.tool} · asked by {clean(askedBy(request) ?? "the main agent")}
          {origin !== undefined && <> · {origin}</>}
        </p>
      </header>
      {head !== request.title && <p class="dim">described as: {clean(request.title)}</p>}
      {request.summary !== undefined && <p>{clean(request.summary)}</p>}
      {request.page !== undefined && (
        <p>
          Open this page first:{" "}
          <a href={request.page} rel="noreferrer noopener" target="_blank">
            {clean(request.page)}
          </a>
        </p>
      )}
      {isEditing ? (
        <InputEditor input={input ?? request.input} onChange={setInput} onClose={() => setEditing(false)} />
      ) : request.form ? (
        <FormFields form={request.form} value={input as Record<string, unknown>} onChange={setInput} />
      ) : (
        shownParts(request, head).map((part, at) => <Shown key={at} display={part} isOpen />)
      )}
      {input !== undefined && !request.form && !isEditing && (
        <p class="tag tag-warn">You changed the input. It is decided again and asks again if it needs more rights.</p>
      )}
      <Effects effects={request.effects} />
      {request.destructive && <p class="bad">This removes something and may not be undoable.</p>}
      {(request.origins ?? []).map(({ field, value, source }) => (
        <p key={field} class="bad">
          {clean(field)} = <code>{clean(value)}</code> comes from {clean(source)}.
        </p>
      ))}
      <p class="why">
        <b>Why:</b> {place(request.why)}
        {request.rule && !request.why.includes(request.rule.rule) && (
          <>
            {" "}
            <code>
              {request.rule.behavior} {clean(request.rule.rule)}
            </code>
            {request.rule.file !== undefined &&
              ` in ${place(request.rule.file)}${request.rule.line === undefined ? "" : `:${request.rule.line}`}`}
          </>
        )}
      </p>
      {request.suggestions.length > 0 && (
        <details class="always">
          <summary>Always allow …</summary>
          {request.suggestions.map((suggestion) => (
            <label key={suggestion.label}>
              <input
                type="radio"
                name={`always-${request.id}`}
                checked={always === suggestion}
                onChange={() => setAlways(suggestion)}
              />
              <span>
                {clean(suggestion.label)} <span class="tag">{suggestion.scope}</span>
                <br />
                {suggestion.rules.map((rule) => (
                  <code key={rule}>allow {clean(rule)}</code>
                ))}
                {suggestion.covers !== undefined && <span class="dim"> {clean(suggestion.covers)}</span>}
              </span>
            </label>
          ))}
        </details>
      )}
      <input
        type="text"
        class="words"
        aria-label="Message to the agent (optional)"
        placeholder="Message to the agent (optional)"
        value={message}
        onInput={(event) => setMessage(event.currentTarget.value)}
      />
      <Failure error={error} />
      <div class="answers">
        <button type="button" class="deny" disabled={isBusy} onClick={onClick(deny)}>
          {request.form ? "Decline" : "Deny"} <kbd>n</kbd>
        </button>
        <button
          type="button"
          class={request.destructive ? "danger" : "allow"}
          disabled={isBusy}
          onClick={onClick(() => allow())}
        >
          {request.form ? "Send" : "Allow once"} {!request.destructive && <kbd>y</kbd>}
        </button>
        {always && (
          <button type="button" class="allow" disabled={isBusy} onClick={onClick(() => allow(always))}>
            Allow, and save the rule
          </button>
        )}
        {!request.form && !isEditing && (
          <button type="button" class="quiet" disabled={isBusy} onClick={() => setEditing(true)}>
            Edit <kbd>e</kbd>
          </button>
        )}
      </div>
    </article>
  );
}

/** Nothing that is decided about is folded, and a command that is the title already does not come twice. */
const shownParts = (request: ApprovalRequest, head: string): readonly Display[] =>
  questionParts(request).filter((part) => part.kind !== "terminal" || part.text !== "" || part.command !== head);
