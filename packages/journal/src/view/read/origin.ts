import { spawnSync } from "node:child_process";
import { toSystem } from "../../image/raw-path.ts";

/** Bytes of an archive that must contain the mark: it comes before the content. */
const HEAD_BYTES = 16_384;

/**
 * Whether an entry of an upper layer began as a copy of the lower layer. The overlay marks such entries with an
 * extended attribute. Node cannot read it, but tar writes it into its headers. In doubt the entry was copied.
 */
export function wasCopied(path: string): boolean {
  const script = `tar --xattrs --xattrs-include='user.overlay.*' --format=pax --no-recursion -cf - -- "$0" 2>/dev/null | head -c ${HEAD_BYTES}`;
  const name = toSystem(path);
  if (typeof name !== "string") return true;
  const ran = spawnSync("/bin/sh", ["-c", script, name], {
    env: { PATH: "/usr/bin:/bin" },
    timeout: 5_000,
  });
  if (ran.stdout.length === 0) return true;
  return ran.stdout.includes("SCHILY.xattr.user.overlay.origin");
}
