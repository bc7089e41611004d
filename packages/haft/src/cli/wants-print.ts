/** Whether the arguments ask for print mode, as `claude -p` and its hosts write them. It imports nothing: every start without a command asks. */
export function wantsPrint(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  const ours = args.slice(0, end < 0 ? undefined : end);
  return ours.some((word) => /^(?:-p|--print|--(?:output|input)-format(?:=.*)?)$/.test(word));
}
