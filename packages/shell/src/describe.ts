import type { ShellAnalysis, Verdict } from "./analysis.ts";
import { visible } from "./visible.ts";

/** One line of an approval prompt. All texts are safe to display. */
interface CommandPart {
  readonly text: string;
  readonly verdict: Verdict | "unknown";
  /** Why it is opaque or unknown. */
  readonly why?: string;
  /** The folder in which it runs. */
  readonly cwd?: string;
}

/** The parts of a script for a prompt: every simple command with its verdict, then the shell's own effects. */
export function describeCommand(analysis: ShellAnalysis): readonly CommandPart[] {
  const parts: CommandPart[] = analysis.commands.map(({ text, verdict, why, cwd }) => ({
    text: visible(text),
    verdict,
    ...(why === undefined ? {} : { why: visible(why) }),
    cwd: visible(cwd),
  }));
  for (const effect of analysis.effects) {
    if (effect.do === "unknown")
      parts.push({ text: visible(effect.why), verdict: "unknown", why: visible(effect.why) });
    if (effect.do === "connect") parts.push({ text: visible(`connects to ${effect.host}`), verdict: "opaque" });
    if (effect.do === "write")
      parts.push({ text: visible(`${effect.change} ${effect.path}${effect.tree ? "/**" : ""}`), verdict: "writes" });
  }
  return parts;
}
