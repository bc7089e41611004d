/** Cmdlets that may change something or show much, with the aliases that PowerShell has for them on some platform. */
const SAME: readonly (readonly string[])[] = [
  "get-childitem gci ls dir",
  "get-content gc cat type",
  "remove-item ri rm rmdir del rd erase",
  "copy-item ci cpi cp copy",
  "move-item mi mv move",
  "rename-item rni ren",
  "new-item ni",
  "set-content sc",
  "add-content ac",
  "clear-content clc",
  "set-location sl cd chdir",
  "set-item si",
  "set-itemproperty sp",
  "invoke-item ii",
  "invoke-expression iex",
  "invoke-command icm",
  "invoke-webrequest iwr curl wget",
  "invoke-restmethod irm",
  "start-process saps start",
  "stop-process spps kill",
  "get-process gps ps",
  "get-service gsv",
  "stop-service spsv",
  "select-string sls",
  "tee-object tee",
  "write-output echo write",
  "foreach-object foreach %",
  "where-object where ?",
].map((names) => names.split(" "));

const byName: ReadonlyMap<string, readonly string[]> = new Map(
  SAME.flatMap((names) => names.map((name) => [name, names] as const)),
);

/** A command in lower case under every name of its cmdlet: a rule may use any of them. */
export function underEveryName(command: string): readonly string[] {
  const end = command.indexOf(" ");
  const name = end < 0 ? command : command.slice(0, end);
  return byName.get(name)?.map((other) => other + command.slice(name.length)) ?? [command];
}
