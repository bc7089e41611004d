import type { Effect } from "@haft/core/tool";
import type { Redirection, RedirectOperator } from "unbash";
import { isFree, placesOf } from "./place/place.ts";
import { readInto, reading, writing } from "./place/place-effects.ts";
import { endlessFile } from "./reader/names/endless.ts";
import type { Scope } from "./scope.ts";
import type { Session } from "./session.ts";
import { expandQuoted, expandString, expandWord } from "./word/expand.ts";
import { NUMBER, only, type Value } from "./word/value.ts";
import { loosen } from "./word/variable.ts";

/** Adds the reads and writes of redirections. A target unknown before the run is an unknown effect. */
export function walkRedirects(redirects: readonly Redirection[], scope: Scope, session: Session): void {
  for (const redirect of redirects) {
    if (redirect.descriptor?.type === "FileDescriptorVariable") {
      const { name } = redirect.descriptor;
      if (/^[A-Za-z_]\w*$/.test(name)) loosen(name, NUMBER, session);
      else session.unknown("A subscript is computed from data.");
    }
    if (redirect.type === "HereDoc") {
      if (redirect.closing === undefined) session.unknown("A here-document has no end.");
      if (redirect.body.parts !== undefined) expandQuoted(redirect.body.parts, scope, session);
    } else if (redirect.target === undefined) session.unknown("A redirection has no target.");
    else if (redirect.type === "HereString") session.substituted = expandString(redirect.target, scope, session);
    else {
      if (/^\d+$/.test(redirect.target.text) && /[<>]/.test(scope.source[redirect.target.end] ?? "")) {
        session.unknown("A redirection has no target.");
      }
      const [target, ...more] = expandWord(redirect.target, scope, session);
      const name = more.length === 0 ? only(target) : undefined;
      const isDuplicate = redirect.operator.includes("&") && !redirect.operator.startsWith("&");
      if (isDuplicate && name !== undefined && /^(\d+-?|-)$/.test(name)) continue;
      if (isDuplicate && redirect.operator === "<&")
        session.unknown("A redirection duplicates something that is not known.");
      else if (target?.kind === "text" && more.length === 0) {
        for (const path of target.texts) walkTarget(redirect.operator, path, scope, session);
      } else if (target?.kind === "name" && more.length === 0 && redirect.operator === "<")
        readNames(target, scope, session);
      else session.unknown("The target of a redirection is not known before the run.");
      // The documented grammar asks a person about such a target, even if a rule allows the file.
      if (redirect.operator.includes(">") && redirect.target.text.startsWith("~"))
        session.unknown("What ~ means in the target of a redirection is the shell's decision.");
    }
  }
}

function walkTarget(operator: RedirectOperator, target: string, scope: Scope, session: Session): void {
  const net = /^\/dev\/(?:tcp|udp)\/([^/]*)\/(.*)$/s.exec(target);
  if (net !== null) {
    const port = Number(net[2]);
    session.add({
      do: "connect",
      basis: "proved",
      host: net[1]!.toLowerCase(),
      ...(Number.isInteger(port) ? { port } : {}),
      sends: true,
    });
    return;
  }
  if (target === "") {
    session.unknown("The target of a redirection is empty.");
    return;
  }
  if (isFree(target)) return;
  const at = { folders: scope.folders, moved: scope.moved, start: session.context.cwd };
  const places = placesOf({ kind: "text", texts: [target] }, at);
  if (typeof places === "string") {
    session.unknown(`The target of a redirection is not known: ${places}`);
    return;
  }
  for (const place of places) session.add(...effectsOf(operator, place));
}

/** `< "$f"`: the shell uses the name as it is, even with a leading dash, and accepts only one. */
function readNames(target: Value, scope: Scope, session: Session): void {
  const problem = readInto(session.effects, target, {
    folders: scope.folders,
    moved: scope.moved,
    start: session.context.cwd,
  });
  if (problem !== undefined) session.unknown(`The target of a redirection is not known: ${problem}`);
}

function effectsOf(operator: RedirectOperator, place: Parameters<typeof writing>[0]): Effect[] {
  const read = reading(place.path, place.as, false);
  switch (operator) {
    case "<":
      return [read];
    case "<>":
      return [read, writing(place, "modify")];
    case ">>":
    case "&>>":
      return [writing(place, "modify")];
    default:
      return [writing(place, "replace")];
  }
}

/** For a simple or compound command with redirections: sets its input from now on. Returns a function that restores the old one. */
export function otherInput(
  redirects: readonly Redirection[],
  session: Session,
  fed = fedBy(redirects, session),
): (stays?: boolean) => void {
  return session.otherInput(takesInput(redirects), fed);
}

/** The known input that a redirection gives, right after the walk through it. */
export function fedBy(redirects: readonly Redirection[], session: Session): Value | undefined {
  const [redirect, ...more] = redirects.filter((one) => !isForErrors(one));
  if (redirect === undefined || more.length > 0 || !isInput(redirect)) return undefined;
  if (redirect.type === "HereString") return only(session.substituted) === undefined ? undefined : session.substituted;
  if (redirect.type !== "Redirect") return undefined;
  return isFeeding(redirect) ? session.substituted : endlessFile(redirect.target?.value ?? "");
}

/** `< <(command)`, which feeds the output of the command to a loop. */
export const isFeeding = (redirect: Redirection): boolean =>
  redirect.type === "Redirect" &&
  redirect.operator === "<" &&
  redirect.descriptor === undefined &&
  redirect.target?.parts?.length === 1 &&
  redirect.target.parts[0]?.type === "ProcessSubstitution";

/** Whether a command may get its input from elsewhere than the shell's input. */
const takesInput = (redirects: readonly Redirection[]): boolean =>
  redirects.some(
    ({ type, operator, descriptor }) =>
      type !== "Redirect" ||
      operator.includes("<") ||
      (descriptor?.type === "FileDescriptor" && descriptor.value === 0),
  );

export const isInput = ({ type, operator, descriptor }: Redirection): boolean =>
  (type !== "Redirect" || operator === "<") && descriptor === undefined;

/** `2>/dev/null` and similar: stdout does not change. */
export const isForErrors = ({ type, operator, descriptor }: Redirection): boolean =>
  type === "Redirect" && operator === ">" && descriptor?.type === "FileDescriptor" && descriptor.value === 2;
