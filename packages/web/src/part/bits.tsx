import type { Effect } from "@haft/core/tool";
import type { ComponentChildren } from "preact";
import { visible } from "../../../haft/src/draw/sanitize.ts";
import { shortPaths } from "../lib/place.ts";

/** Text of a tool or a model: control and direction characters are made visible, and it is never markup. */
export const clean = (text: string): string => visible(text);

/** The same for texts that name files: those of the folder become relative. */
export const place = (text: string): string => visible(shortPaths(text));

export function Effects({ effects }: { readonly effects: readonly Effect[] }) {
  if (effects.length === 0) return null;
  return (
    <ul class="effects" aria-label="Effects">
      {effects.slice(0, 40).map((effect, at) => (
        <li key={at} class={`effect effect-${effect.do}`}>
          <b>{verbOf(effect)}</b> <code>{place(objectOf(effect))}</code>
          {effect.basis === "claimed" && <span class="tag tag-warn">claimed</span>}
          {effect.reversible === false && <span class="tag tag-bad">cannot be undone</span>}
        </li>
      ))}
      {effects.length > 40 && <li class="dim">and {effects.length - 40} more</li>}
    </ul>
  );
}

const verbOf = (effect: Effect): string => (effect.do === "write" && effect.change === "delete" ? "delete" : effect.do);

function objectOf(effect: Effect): string {
  switch (effect.do) {
    case "read":
      return `${effect.path}${effect.tree ? "/**" : ""}`;
    case "write":
      return `${effect.path}${effect.tree ? "/**" : ""}${effect.change === "delete" ? "" : ` (${effect.change})`}`;
    case "run":
      return effect.text;
    case "connect":
      return `${effect.host}${effect.port === undefined ? "" : `:${effect.port}`}${effect.sends ? " (sends)" : ""}`;
    case "send":
      return `${effect.channel}${effect.to === undefined ? "" : ` to ${effect.to}`}`;
    case "call":
      return `${effect.tool} on ${effect.server}${effect.change ? "" : " (changes nothing)"}`;
    case "delegate":
      return effect.agent;
    case "state":
      return `${effect.of}${effect.change ? "" : " (only read)"}`;
    case "ask":
      return "the user";
    case "unknown":
      return effect.why;
  }
}

/** A notice about something that went wrong or is empty. */
export const Empty = ({ children }: { readonly children: ComponentChildren }) => <p class="empty">{children}</p>;

export const Failure = ({ error }: { readonly error: string | undefined }) =>
  error === undefined ? null : (
    <p class="failure" role="alert">
      {clean(error)}
    </p>
  );

/** The head of a page. */
export function Head({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <header class="page-head">
      <h1>{clean(title)}</h1>
      <div class="page-tools">{children}</div>
    </header>
  );
}

export const agoOf = (iso: string): string => {
  const seconds = Math.max(0, (Date.now() - Date.parse(iso)) / 1000);
  if (seconds < 60) return "now";
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
};

export const counted = (count: number, thing: string): string =>
  `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;

/** A moment of the coming or past days: `Sun, Nov 29, 03:00`. */
export const whenOf = (iso: string): string =>
  new Date(iso).toLocaleString("en", {
    ...{ weekday: "short", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hour12: false },
  });

export const timeOf = (ms: number | undefined): string =>
  ms === undefined
    ? ""
    : ms < 1_000
      ? `${Math.round(ms)} ms`
      : ms < 60_000
        ? `${(ms / 1_000).toFixed(1)} s`
        : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;

const ICONS: Readonly<Record<string, string>> = {
  ...{ writing: "✎", waiting: "◌", asking: "?", running: "●", ok: "✓", error: "✗", denied: "⊘", cancelled: "–" },
};

/** The status of a call: a sign, and a word for those who do not see it. */
export const StatusIcon = ({ status }: { readonly status: string }) => (
  <span class={`status status-${status}`} role="img" aria-label={status} title={status}>
    {ICONS[status] ?? "·"}
  </span>
);
