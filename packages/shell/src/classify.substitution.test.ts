import { describe, expect, it } from "vitest";
import { classifyCommand } from "./index.ts";

const lines = (text: string): string[] => text.split("\n").filter((line) => line !== "");

// The output of these commands is known: names below a folder, a number, or a revision.
const ALLOWED = String.raw`
wc -l $(git ls-files)
cat $(find . -name package.json -not -path '*/node_modules/*')
head -20 $(ls src/*.ts)
grep -n foo $(git ls-files '*.ts' | head -3)
grep -n x $(fd -e ts)
files=$(git ls-files); wc -l $files
for f in $(find . -name '*.ts' | sort); do wc -l "$f"; done
while read -r f; do wc -l "$f"; done < <(find . -name '*.ts')
while IFS= read -r -d '' f; do sed -n 1p "$f"; done < <(find . -name '*.ts' -print0)
find . -print0 | sort -z | while IFS= read -r -d '' f; do sort "$f"; done
find . -print0 | xargs -0 sort
find . -type f | while read -r f; do head -3 "$f"; grep -c x "$f"; sort -- "$f"; done
sed -n 1p "$(find . -name a | head -1)"
mapfile -t files < <(find . -name '*.ts'); wc -l "${"${"}files[@]}"
files=(src/*.ts); wc -l "${"${"}files[@]}"
total=0; for f in src/*.ts; do n=$(wc -l < "$f"); total=$((total + n)); done; echo "$total"
[ $(ls | wc -l) -gt 5 ] && echo many
[[ $(git status --porcelain | wc -l) -gt 0 ]] && echo dirty
echo $(( $(wc -l < a) + 1 ))
n=$(grep -c x a); head -n "$n" b
git diff $(git merge-base main HEAD) --stat
git log $(git merge-base main HEAD)..HEAD --oneline
BASE=$(git merge-base main HEAD) && git diff $BASE --stat
for i in $(seq 1 5); do sed -n "${"${"}i}p" a; done
for i in {1..5}; do echo "$i"; sed -n "$((i * 2)),$((i * 2 + 1))p" a; done
for d in */; do find "$d" -type f | wc -l; done
fd -e ts -x wc -l
fd . src -X ls -la
git diff --no-index a b
GIT_PAGER=cat git log -3
PAGER=cat git diff
TZ=Europe/Berlin date
trap -p; hash node; compgen -c`;

// The same shapes where what is printed is data, a name may be an option, or the input is another one.
const ASKED = String.raw`
cat $(cat list)
cat $(ls; cat list)
cat $(ls || cat list)
cat $(ls 2>&1)
cat $(find . |& cat)
cat $(find . | sed s/x/y/)
sort $(git ls-files)
uniq $(git ls-files)
uniq $(ls | head -2)
xxd $(ls)
sed -n 1p $(git ls-files)
for f in $(git ls-files); do sed -n 1p "$f"; done
for f in *; do find "$f" -type f; done
find . -type f -exec uniq {} +
find . -type f -exec xxd {} +
fd -X uniq
fd -x echo \; -x rm
fd -x echo ";" -X rm
find . | sort < evil | xargs cat
find . | while read -r f; do cat "$f"; done < evil
find . | { read -r a < evil; cat "$a"; }
find . | { exec < evil; read -r a; cat "$a"; }
f() { exec < evil; }; find . | { f; read -r a; cat "$a"; }
find . | while read -r -d x f; do cat "$f"; done
find . | xargs -d x cat
while IFS= read -r f; do sed -n 1p "$f"; done < <(find . -name '*.ts')
find src -type f | while IFS= read -r f; do sort "$f"; done
find src | while read -r f; do find "$f"; done
find src | while read -r f; do git diff "$f"; done
find src | while read -r f; do rg foo "$f"; done
find . -print0 | sort | while IFS= read -r -d '' f; do sort "$f"; done
find . -print0 | grep -ez | while IFS= read -r -d '' f; do sort "$f"; done
find . | xargs -d '\n' sort
find . | xargs -I{} sort {}
mapfile -t a < <(find .); sort "${"${"}a[@]}"
sed -n 1p "$(find . | tail -1)"
sed -n 1p "$(find . | sort)"
while read -r f; do cat "$f"; done < <(cat evil)
while read -r f; do cat "$f"; done < <(find .; cat evil)
mapfile -t a < <(cat evil); cat "${"${"}a[@]}"
mapfile -t -d x a < <(find .); cat "${"${"}a[@]}"
arr=(--file=/etc/shadow x); grep "${"${"}arr[@]}"
awk -F $(grep -c x none) '{print}' 'BEGIN{system("id")}'
awk -F $(ls | grep -c '[') '{print}' 'BEGIN{system("id")}'
n=$(grep -c x f); awk -F $n '{print}' 'BEGIN{system("id")}'
n="$(grep -c x f)"; awk -F $n '{print}' 'BEGIN{system("id")}'
n=$(ls | wc -l); sed -n "s${"${"}n}a${"${"}n}w x${"${"}n}p" f
n=$(ls | wc -l); sed "${"${"}n}w out" f
n=$(ls | wc -l); sed "${"${"}n}e" f
git diff $(git merge-base a b)/../../../etc/passwd
git log $(git rev-parse --show-toplevel)/../x
x=$(git rev-parse a..b); git branch $x
for f in {1..3}; do rm $f; done
zsh -V
bash -h
vim -v
ninja -v
echo x > /dev/tty
lsof -i@evil.example
npm config get //registry/:_authToken
compgen -W '$(id)'
trap 'id' EXIT
enable -n echo
hash -p /tmp/x ls
GIT_PAGER=less git log
PAGER=./x git log
TZ=../../x date`;

describe("a command's output as words of another", () => {
  it("G01 is allowed where names, numbers and revisions can do no harm", () => {
    expect(lines(ALLOWED).filter((command) => classifyCommand(command) !== "allow")).toEqual([]);
  });

  it("G06 is asked about where it is data, an option, or another input", () => {
    expect(lines(ASKED).filter((command) => classifyCommand(command) === "allow")).toEqual([]);
  });
});
