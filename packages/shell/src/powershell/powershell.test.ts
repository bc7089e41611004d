import { describe, expect, it } from "vitest";
import { analysePowerShell } from "../index.ts";

const on = (platform: string) => (script: string) =>
  analysePowerShell(script, { cwd: "/workspace", home: "/home/user", platform });
const linux = on("linux");
const windows = on("win32");
const lines = (text: string): string[] => text.split("\n").filter((line) => line !== "");
const isReader = ({ opaque, effects }: ReturnType<typeof linux>): boolean =>
  !opaque && effects.every(({ do: word }) => word === "run" || word === "read");
const paths = ({ effects }: ReturnType<typeof linux>): string[] =>
  effects.flatMap((one) =>
    one.do === "read" || one.do === "write" ? [`${one.do} ${one.path}${one.tree ? "/**" : ""}`] : [],
  );

const READERS = String.raw`
Get-ChildItem
get-childitem -recurse -filter *.ts
gci src -Recurse | Where-Object { $_.Length -gt 10kb } | Select-Object Name, Length
Get-Content a.txt | Select-String -Pattern 'foo' | Measure-Object -Line
Get-Content src\a.ts -TotalCount 20
Get-Content a.txt -Tail 5 -ErrorAction SilentlyContinue
Get-Content 'it''s', "b c"
Select-String -Path src\*.ts -Pattern "foo bar" -SimpleMatch
Select-String foo src/a.ts
Test-Path a; Resolve-Path a
Get-ChildItem | Sort-Object Length -Descending | Format-Table -AutoSize
Get-ChildItem | Where-Object Name -like '*x*'
Get-ChildItem | ? { ($_.Name -match 'a') -and -not $_.PSIsContainer }
Get-ChildItem | % { $_.FullName }
Get-Process | Sort-Object CPU -Descending | Select-Object -First 5
Get-Date -Format o
cd src; Get-ChildItem
Get-Content a.txt 2>$null
Write-Output "hello $x"
Get-Content package.json -Raw | ConvertFrom-Json | Select-Object -ExpandProperty version
Get-FileHash a -Algorithm SHA256
Get-ChildItem -Recurse *.ts | Select-String foo
git status
git log --oneline -5 | Select-Object -First 3
rg foo src
Get-ChildItem && Get-Date || Get-Location
Get-ChildItem # what is here
Get-ChildItem *>&1`;

const ASKED = String.raw`
Remove-Item a
del a
Get-ChildItem | Remove-Item
Get-ChildItem | % { $_.Delete() }
Get-ChildItem | % Delete
Get-ChildItem | ForEach-Object -MemberName Delete
Get-ChildItem | ? { Remove-Item a }
Get-ChildItem | ? { $_.Name -eq (Remove-Item a) }
Get-ChildItem | ? { $_.Name -eq "$(Remove-Item a)" }
Get-ChildItem | Select-Object @{n='x';e={Remove-Item a}}
Get-ChildItem | Sort-Object { Remove-Item a }
Get-ChildItem (Remove-Item a)
Get-ChildItem -Path $(Remove-Item a)
Get-ChildItem -OutVariable x
Get-ChildItem -Rec
Get-ChildItem -Recurse:$false
Get-Content a -Wait
Get-Content a | Set-Content b
Get-Content a | Out-File b
Get-Content a | Tee-Object b
Get-Content $x
Get-Content "$HOME/x"
Get-Content env:TOKEN
Get-Content HKLM:\x
Get-Content \\evil\share\x
Get-Content //evil/share/x
Get-Content a.txt:stream
Get-Content "a"b
Write-Output /etc/shadow | Get-Content
Write-Output /etc | Get-ChildItem
Get-Content list | Get-Content
Get-Content a.json | ConvertFrom-Json | Select-String foo
iex 'x'
Invoke-Expression x
& 'rm' a
. ./x.ps1
./x.ps1
"a" -replace 'x','y'
$x = 1
$env:PATH = '.'
[System.IO.File]::Delete('a')
if ($true) { Get-Date }
function Get-Date { rm a }; Get-Date
Set-Alias Get-Date rm; Get-Date
Start-Process x
Invoke-WebRequest http://x
Get-Help x -Online
@(rm a)
{ rm a }
{ rm a }.Invoke()
Get-ChildItem & rm a
Get-ChildItem <# x #>
git log --output=x
git -c core.pager=x log
git log '--format="x" --output=y'
git log --% --output=x
git diff a,b
git diff --output:x
find . -delete
jq -f x.jq a
python3 -m json.tool a
cargo --version
sqlite3 -readonly a.db .tables
sort -o a b
sudo Get-Date
bash -c 'rm x'
cmd /c del x
pwsh -c Get-Date`;

const ODD = [
  "Get-ChildItem ‘x’; rm y",
  "Get-ChildItem –Recurse",
  "Get-ChildItem `\nrm a",
  'git log "--format=`"x`" --output=y"',
  "Get-Date\u0000",
  "Get-Date\u00a0x",
  "x".repeat(20_000),
  "Write-Output /etc/shadow |\n Get-Content",
  "Write-Output /etc/shadow\n| Get-Content",
];

describe("PowerShell as effects", () => {
  it.each(lines(READERS))("L05 %s only looks", (script) => {
    expect([isReader(linux(script)), isReader(windows(script))]).toEqual([true, true]);
  });

  it.each([...lines(ASKED), ...ODD])("L05 %s is asked about", (script) => {
    expect([linux(script).opaque, windows(script).opaque]).toEqual([true, true]);
  });

  it("L05 names what is read and written", () => {
    expect(paths(linux("Get-Content a.txt, ~/b, src\\c"))).toEqual([
      "read /workspace/a.txt",
      "read /home/user/b",
      "read /workspace/src/c",
    ]);
    expect(paths(linux("Get-ChildItem -Recurse"))).toEqual(["read /workspace/**"]);
    expect(paths(linux("Get-Content *.ts"))).toEqual(["read /workspace/**"]);
    expect(paths(linux("Get-Content -LiteralPath '[a].ts'"))).toEqual(["read /workspace/[a].ts"]);
    expect(paths(linux("Get-ChildItem src | Get-Content"))).toEqual(["read /workspace/src", "read /workspace/src/**"]);
    expect(paths(linux("Get-Date > out.txt; Get-Date >> 'b c'"))).toEqual([
      "write /workspace/out.txt",
      "write /workspace/b c",
    ]);
    expect(paths(linux("cd src; Get-Content a"))).toEqual(["read /workspace/a", "read /workspace/src/a"]);
    expect(paths(windows("Get-Content C:\\Users\\x\\a.txt"))).toEqual(["read /c/Users/x/a.txt"]);
    expect(linux("Get-Content C:\\Users\\x\\a.txt").opaque).toBe(true);
  });

  it("L05 rules see cmdlets by their own names, in what cannot be read too", () => {
    const names = (script: string, analyse = linux) => analyse(script).commands.map(({ argv }) => argv[0]);
    expect(names("gci | select Name; STOP-COMPUTER")).toEqual(["Get-ChildItem", "Select-Object", "Stop-Computer"]);
    expect(names("if ($x) { Stop-Computer -Force }")).toContain("Stop-Computer");
    expect(names("$x = 1; & { format-volume C }")).toContain("Format-Volume");
    expect(names("ls; cat a; git.exe status", windows)).toEqual(["Get-ChildItem", "Get-Content", "git"]);
    expect(names("ls; cat a")).toEqual(["ls", "cat"]);
    expect(linux("Remove-Item -Recurse \\").commands[0]?.argv).toEqual(["Remove-Item", "-Recurse", "/"]);
    expect(windows("rm -Recurse C:\\").commands[0]?.argv).toEqual(["Remove-Item", "-Recurse", "/c/"]);
  });

  it("L05 git runs with a tame environment, in folders that are named", () => {
    expect(linux("git status")).toMatchObject({ gitFolders: ["/workspace"], env: { GIT_OPTIONAL_LOCKS: "0" } });
    expect(linux("Get-Date").gitFolders).toBeUndefined();
  });
});
