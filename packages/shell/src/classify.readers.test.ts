import { describe, expect, it } from "vitest";
import { classifyCommand, isStaticReader } from "./index.ts";

// One command a line, as agents issue them. A careful person would say of each: it only looks.
const READERS: Readonly<Record<string, string>> = {
  "plain readers": String.raw`
cat a.txt
cat -n src/a.ts src/b.ts
/bin/cat a.txt
/usr/bin/head -20 a.txt
head -n 20 a.txt
head -c100 a
tail -50 log
tail -n +10 log
ls
ls -la
ls -la src/ 2>/dev/null
ls -lh *.md
pwd
echo "hello world"
echo $HOME $x "$y" $(date)
echo -e 'a\nb'
printf '%s\n' "$x"
wc -l src/*.ts
cut -d: -f1 a
cut -d"$d" -f2 a
tr -d ' ' < a
sort -rn -k2,2 -t, a
sort a | uniq -c | sort -rn | head
diff -u a b
diff <(sort a) <(sort b)
cmp a b
comm -12 a b
stat -c %s a
file a
du -sh .
df -h
which node
type ls
command -v node
dirname /a/b
basename "$f" .ts
realpath .
readlink -f a
date
date +%s
date -d yesterday +%F
date -u "+%Y-%m-%d"
id -u
whoami
uname -a
hostname
env
printenv HOME
true
sleep 1
seq 1 10
nl -ba a.ts | sed -n '1,20p'
tac a
rev a
column -t -s, a
fold -w 80 a
sha256sum a b
xxd a | head
od -c a
strings a
ps aux
ps -ef | grep node | grep -v grep
tree -L 2
base64 -d a
node --version
python3 --version
npm -v
bash -n x.sh
node --check x.js
tar -tzf a.tgz
export LC_ALL=C; sort a
LC_ALL=C sort a
NO_COLOR=1 ls`,
  searching: String.raw`
grep -rn "foo" src
grep -rn --include=*.ts foo .
grep -rn --include="*.ts" --exclude-dir=node_modules foo . | head -20
grep -E 'a|b' -A3 -B 2 a
grep -c foo a || true
grep -oP '(?<=x)y' a
grep -- "$x" a
egrep foo a
rg -n "foo" -g '*.ts' src
rg --files | head
rg -l foo
rg -A 3 -B3 foo src
find . -name '*.ts' -not -path './node_modules/*'
find . -type f \( -name '*.a' -o -name '*.b' \) -print0
find src tests -maxdepth 2 -type d -mtime -1
find . -name x -exec grep -l foo {} \;
find . -name x -exec wc -l {} +
find . -newer a -printf '%p\n'
jq '.a | select(.b > 1)' a.json
jq -r --arg x "$y" '.[$x]' a.json
cat a.json | jq .`,
  "sed and awk that print": String.raw`
sed -n '1,200p' a
sed -n 5p a
sed -n '/a/,/b/p' a
sed 's/a/b/g' a
sed -e 's/a/b/' -e '/x/d' a
sed -E 's/(a|b)+/\1/gI' a
sed ':a;N;$!ba;s/\n/ /g' a
sed '$d' a
sed -n '$=' a
sed -n '/x/{p;q}' a
awk '{print $1}' a
awk -F: '{ print $1, $NF }' a
awk 'NR>=5 && NR<=10' a
awk '/foo|bar/ {n++} END {print n}' a
awk '{ sum += $1 } END { print sum / NR }' a
awk -v x=1 '$1 > x { print }' a
awk 'BEGIN { for (i = 0; i < 3; i++) printf "%d\n", i }'
awk '{ if ($3 > 5) print $1 }' a`,
  "git that looks": String.raw`
git status
git status --short
git log --oneline -20
git log --format='%H %s' -n 5 -- src
git log --since="2 weeks ago" --author=x --stat
git diff
git diff HEAD~1 --stat
git diff --cached --name-only
git diff main...HEAD -- src/a.ts
git show HEAD:src/a.ts
git show --stat abc123
git branch
git branch -a
git branch -vv
git branch --show-current
git branch --list 'feat/*'
git branch --merged
git branch --contains abc
git tag -l 'v*'
git tag
git remote -v
git remote get-url origin
git ls-files | wc -l
git ls-tree -r HEAD --name-only
git rev-parse HEAD
git rev-parse --show-toplevel
git rev-parse --abbrev-ref HEAD
git rev-list --count HEAD
git describe --tags --always
git blame -L 1,10 a
git shortlog -sn
git reflog -5
git stash list
git stash show -p
git config --get user.name
git config user.email
git config --list
git grep -n foo -- '*.ts'
git cat-file -p HEAD
git merge-base main HEAD
git worktree list
git --no-pager log -3
git -C sub status
git check-ignore -v a
git --version`,
  "the shell itself": String.raw`
cd src && ls
cd src && grep -rn foo . | head; echo done
[ -f a ] && echo yes || echo no
[ "$x" = y ] && ls
[[ -d src ]] && ls src
[[ "$x" == a* ]] && echo y
test -e a
if [ -f a ]; then cat a; else echo none; fi
for f in a b c; do echo "$f"; cat "$f"; done
for f in src/*.ts; do echo "== $f"; head -5 "$f"; done
for i in 1 2 3; do echo $((i + 1)); done
i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done
while IFS= read -r line; do echo "$line"; done < a
case "$x" in a) ls;; *) pwd;; esac
x=$(git rev-parse HEAD); echo "$x"
F=src/a.ts; cat "$F"; wc -l $F
FILES="a b"; for f in $FILES; do cat "$f"; done
show() { cat "$1"; }; show a; show b
cat <<'END'
text $(rm x)
END
cat <<END
text $x $((1 + 2))
END
grep foo <<< "$x"
ls > /dev/null 2>&1
(cd src && ls)
{ ls; pwd; } | head
time ls
! grep -q x a
set -euo pipefail; ls
exit 0
timeout 5 cat a
env LC_ALL=C ls
nice -n 5 cat a
command ls
bash -c 'ls | head'
bash -lc "cat a"
sh -c 'ls; pwd'
ls src/{a,b}
ls & wait`,
};

/** Here-documents span lines: a line that opens one takes all lines up to its end. */
function commands(text: string): string[] {
  const found: string[] = [];
  let open = false;
  for (const line of text.split("\n")) {
    if (open) found.push(`${found.pop()}\n${line}`);
    else if (line !== "") found.push(line);
    open = open ? line !== "END" : /<<'?END/.test(line);
  }
  return found;
}

describe("a command that only looks is allowed", () => {
  it.each(Object.keys(READERS))("G01 %s", (kind) => {
    const asked = commands(READERS[kind]!).filter((command) => classifyCommand(command) !== "allow");
    expect(asked).toEqual([]);
  });

  it("G02 every form of git above is a static reader, and its writing twin is not", () => {
    const twins = [
      ["git branch --list x", "git branch x"],
      ["git tag -l", "git tag -d v1"],
      ["git stash list", "git stash drop"],
      ["git config --get a.b", "git config a.b c"],
      ["git diff", "git diff --output=x"],
      ["git reflog show", "git reflog expire"],
    ] as const;
    for (const [looks, writes] of twins) expect([isStaticReader(looks), isStaticReader(writes)]).toEqual([true, false]);
  });
});
