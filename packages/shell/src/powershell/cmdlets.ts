/** The kind of a cmdlet's argument: text, paths that are read (with `deep`: below too), or a block with a plain condition. */
export type Argument = "text" | "path" | "block";

/** A cmdlet that only reads or reshapes its input. All names are in lower case. */
export interface Cmdlet {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, Argument>;
  readonly switches: ReadonlySet<string>;
  /** The parameters that unnamed arguments fill, in order. */
  readonly positions: readonly string[];
  /** All further arguments belong to the last position. */
  readonly repeats: boolean;
  /** It reads the current folder when no path is named. */
  readonly alone?: true;
  /** It reads below the paths with this switch, or always. */
  readonly deep?: string;
}

const COMMON = "erroraction= ea= warningaction= wa= informationaction=";

/**
 * `Name positions...` and parameters: `=` takes text, `=<` paths, `={}` a block; without sign it is a switch. `...`: the last position
 * takes all remaining arguments.
 */
function cmdlet(head: string, parameters: string, more: Pick<Cmdlet, "alone" | "deep"> = {}): Cmdlet {
  const [name = "", ...positions] = head.split(" ");
  const named = new Map<string, Argument>();
  const switches = new Set<string>(["verbose"]);
  for (const token of `${parameters} ${COMMON}`.split(" ").filter(Boolean)) {
    const [, word = "", mark] = /^(\w+)(=<|=\{\}|=)?$/.exec(token) ?? [];
    if (mark === undefined) switches.add(word);
    else named.set(word, mark === "=<" ? "path" : mark === "=" ? "text" : "block");
  }
  const repeats = positions.at(-1) === "...";
  return {
    name,
    parameters: named,
    switches,
    positions: repeats ? positions.slice(0, -1) : positions,
    repeats,
    ...more,
  };
}

const LIST: readonly Cmdlet[] = [
  cmdlet(
    "Get-ChildItem path filter",
    "path=< literalpath=< filter= include= exclude= depth= recurse force name file directory hidden readonly system attributes=",
    { alone: true, deep: "recurse" },
  ),
  cmdlet(
    "Get-Content path",
    "path=< literalpath=< totalcount= head= first= tail= last= raw encoding= delimiter= readcount= force",
  ),
  cmdlet("Get-Item path", "path=< literalpath=< force"),
  cmdlet("Get-ItemProperty path name", "path=< literalpath=< name="),
  cmdlet("Get-ItemPropertyValue path name", "path=< literalpath=< name="),
  cmdlet("Get-FileHash path", "path=< literalpath=< algorithm="),
  cmdlet("Test-Path path", "path=< literalpath=< pathtype= isvalid"),
  cmdlet("Resolve-Path path", "path=< literalpath=< relative"),
  cmdlet("Convert-Path path", "path=< literalpath=<"),
  cmdlet(
    "Select-String pattern path",
    "pattern= path=< literalpath=< simplematch casesensitive quiet list notmatch allmatches include= exclude= context= encoding= raw",
  ),
  cmdlet("Split-Path path", "path= parent leaf leafbase extension qualifier noqualifier isabsolute"),
  cmdlet("Join-Path path childpath", "path= childpath="),
  cmdlet("Get-Location", ""),
  cmdlet("Get-Date", "format= uformat= date= year= month= day= asutc displayhint="),
  cmdlet("Get-Process name", "name= id= fileversioninfo includeusername module"),
  cmdlet("Get-Service name", "name= displayname="),
  cmdlet("Get-Host", ""),
  cmdlet("Get-History", "count= id="),
  cmdlet("Get-PSDrive name", "name= psprovider="),
  cmdlet("Get-TimeZone", "listavailable"),
  cmdlet("Get-Culture", ""),
  cmdlet("Get-Alias name", "name= definition="),
  cmdlet("Get-Command name", "name= commandtype= module= all syntax totalcount="),
  cmdlet("Get-Member name", "name= membertype= static force"),
  cmdlet("Get-Unique", "asstring ontype"),
  cmdlet("Where-Object filterscript", "filterscript={}"),
  cmdlet("ForEach-Object process", "process={}"),
  cmdlet(
    "Select-Object property",
    "property= first= last= skip= skiplast= index= unique expandproperty= excludeproperty= wait",
  ),
  cmdlet("Sort-Object property", "property= descending unique casesensitive top= bottom= stable"),
  cmdlet("Group-Object property", "property= noelement ashashtable asstring casesensitive"),
  cmdlet(
    "Measure-Object property",
    "property= line word character sum average maximum minimum allstats ignorewhitespace",
  ),
  cmdlet("Format-Table property", "property= autosize wrap hidetableheaders groupby="),
  cmdlet("Format-List property", "property= groupby= force"),
  cmdlet("Format-Wide property", "property= column= autosize"),
  cmdlet("Format-Hex path", "path=< literalpath=< count= offset="),
  cmdlet("Out-String", "width= stream nonewline"),
  cmdlet("Out-Null", ""),
  cmdlet("Out-Host", ""),
  cmdlet("ConvertTo-Json", "depth= compress asarray enumsasstrings"),
  cmdlet("ConvertFrom-Json", "depth= ashashtable noenumerate"),
  cmdlet("ConvertTo-Csv", "delimiter= notypeinformation usequotes="),
  cmdlet("ConvertFrom-Csv", "delimiter= header="),
  cmdlet("Import-Csv path", "path=< literalpath=< delimiter= header= encoding="),
  cmdlet("Write-Output inputobject ...", "inputobject= noenumerate"),
  cmdlet("Write-Host object ...", "object= nonewline separator= foregroundcolor= backgroundcolor="),
  cmdlet("Start-Sleep seconds", "seconds= milliseconds="),
];

const CMDLETS = new Map(LIST.map((one) => [one.name.toLowerCase(), one]));

/** Aliases on all platforms. Names of Unix programs (`ls`, `cat`) mean the cmdlet on Windows only. */
const ALIASES: Readonly<Record<string, string>> = {
  gci: "Get-ChildItem",
  dir: "Get-ChildItem",
  gc: "Get-Content",
  type: "Get-Content",
  gi: "Get-Item",
  gp: "Get-ItemProperty",
  sls: "Select-String",
  rvpa: "Resolve-Path",
  gl: "Get-Location",
  pwd: "Get-Location",
  gps: "Get-Process",
  gsv: "Get-Service",
  gcm: "Get-Command",
  gm: "Get-Member",
  gu: "Get-Unique",
  where: "Where-Object",
  "?": "Where-Object",
  foreach: "ForEach-Object",
  "%": "ForEach-Object",
  select: "Select-Object",
  group: "Group-Object",
  measure: "Measure-Object",
  ft: "Format-Table",
  fl: "Format-List",
  fw: "Format-Wide",
  fhx: "Format-Hex",
  oh: "Out-Host",
  ipcsv: "Import-Csv",
  echo: "Write-Output",
  cd: "Set-Location",
  sl: "Set-Location",
  chdir: "Set-Location",
  ghy: "Get-History",
  h: "Get-History",
  history: "Get-History",
  ri: "Remove-Item",
  del: "Remove-Item",
  rd: "Remove-Item",
  erase: "Remove-Item",
  iex: "Invoke-Expression",
  sp: "Set-ItemProperty",
  ni: "New-Item",
  md: "mkdir",
  mi: "Move-Item",
  move: "Move-Item",
  ci: "Copy-Item",
  cpi: "Copy-Item",
  copy: "Copy-Item",
  ac: "Add-Content",
  sc: "Set-Content",
  clc: "Clear-Content",
  cli: "Clear-Item",
  rni: "Rename-Item",
  ren: "Rename-Item",
  saps: "Start-Process",
  spps: "Stop-Process",
  icm: "Invoke-Command",
  iwr: "Invoke-WebRequest",
  irm: "Invoke-RestMethod",
  ii: "Invoke-Item",
};
const WINDOWS_ALIASES: Readonly<Record<string, string>> = {
  ls: "Get-ChildItem",
  cat: "Get-Content",
  sort: "Sort-Object",
  ps: "Get-Process",
  sleep: "Start-Sleep",
  diff: "Compare-Object",
  rm: "Remove-Item",
  rmdir: "Remove-Item",
  mv: "Move-Item",
  cp: "Copy-Item",
  tee: "Tee-Object",
  kill: "Stop-Process",
  start: "Start-Process",
  curl: "Invoke-WebRequest",
  wget: "Invoke-WebRequest",
  man: "help",
  write: "Write-Output",
};

/** The name under which rules know a command: aliases are resolved, cmdlets get their standard capitals, `.exe` is removed. */
export function canonicalName(written: string, isWindows: boolean): string {
  const bare = written.slice(Math.max(written.lastIndexOf("\\"), written.lastIndexOf("/")) + 1);
  const name = bare.toLowerCase().replace(/\.exe$/, "");
  const alias = own(ALIASES, name) ?? (isWindows ? own(WINDOWS_ALIASES, name) : undefined);
  const found = alias ?? name;
  return (
    CMDLETS.get(found.toLowerCase())?.name ?? (alias !== undefined || /^\w+-\w+$/.test(found) ? titled(found) : found)
  );
}

/** The cmdlet of a canonical name. */
export const cmdletNamed = (name: string): Cmdlet | undefined => CMDLETS.get(name.toLowerCase());

const own = (table: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

const titled = (name: string): string =>
  name.replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase());
