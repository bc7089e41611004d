import { describe, expect, it } from "vitest";
import { classifyCommand } from "./index.ts";

// Commands that people and models use more rarely. All are read-only.
const ALLOWED = String.raw`
git submodule status
git submodule status --recursive
git diff --name-only | xargs grep -n TODO
docker compose version
kubectl version --client
namei -l a
pstree -p
journalctl -u nginx -n 50
find . -name '*.py' | xargs grep -ln TODO
find src -name '*.ts' -print0 | xargs -0 wc -l | sort -rn | head
git ls-files | xargs -n1 dirname | sort | uniq -c
git ls-files '*.go' | xargs cat | wc -l
find . -type f -name '*.log' | while read -r f; do tail -3 "$f"; done
while IFS=, read -r a b; do echo "$a => $b"; done < data.csv
awk -F, 'NR>1 {sum[$2]+=$3} END {for (k in sum) print k, sum[k]}' data.csv
awk '{a[$1]++} END{for(i in a) printf "%s %d\n", i, a[i]}' access.log | sort -k2 -rn | head
awk 'length > 120 {print FILENAME": "FNR}' src/*.c
awk '/^func /{n=$2} /TODO/{print n, $0}' main.go
sed -n '/^## Usage/,/^## /p' README.md
sed -E 's/^[[:space:]]+//' a | head
jq -r '.dependencies | to_entries[] | "\(.key)@\(.value)"' package.json
jq '.scripts' package.json
jq -s 'map(.x) | add' a.json b.json
jq -r '.[] | [.a,.b] | @csv' data.json
yq '.services | keys' docker-compose.yml
comm -23 <(sort a.txt) <(sort b.txt)
diff <(git show HEAD~1:a.ts) a.ts
diff -rq dir1 dir2
paste -d, a b | column -t -s,
join -t, a b
od -An -tx1 -N16 file.bin
xxd -l 64 file.bin
hexdump -C file.bin | head -5
strings -n 8 binary | grep -i version
file -b --mime-type img.png
stat -c '%a %U %n' *.sh
du -ah --max-depth=1 . | sort -rh | head -20
df -h .
ps -eo pid,ppid,cmd --sort=-%mem | head
ps aux --sort=-%cpu | head -5
lsof -i :3000
lsof -nP -iTCP -sTCP:LISTEN
ss -tlnp
netstat -tlnp
uname -srm
nproc
free -m
uptime
lscpu | grep Model
cat /proc/cpuinfo | grep processor | wc -l
tree -L 2 -I 'node_modules|dist'
fd -e ts -E node_modules
bat -p --line-range 1:20 a.ts
eza -la --git-ignore
tokei src
cloc --by-file src
zcat logs.gz | grep ERROR | head
zgrep ERROR app.log.gz
unzip -l a.zip
unzip -p a.jar META-INF/MANIFEST.MF
tar tzf a.tgz
tar -tvf a.tar | head
gzip -l a.gz
nm -D lib.so | grep T
objdump -d a.out | head -50
readelf -h a.out
otool -L a.out
size a.out
openssl x509 -in cert.pem -noout -dates
openssl version
npm ls --depth=0
npm ls react
npm run
npm config get registry
pip list | grep -i torch
pip show requests
pip freeze
node -p "process.version"
go env GOPATH
go version
java -version
docker ps
docker images
git log --graph --oneline --all -20
git log -p -S'functionName' -- src/
git log --diff-filter=D --name-only --oneline
git log --pretty=format:'%h %an %ar %s' --since=1.week
git log -L 10,20:src/a.ts
git rev-list --left-right --count main...HEAD
git for-each-ref --sort=-committerdate --format='%(refname:short)' refs/heads | head
git cat-file -t HEAD
git ls-tree -r -l HEAD | sort -k4 -n | tail
git diff --stat main...HEAD
git diff --word-diff HEAD~1 -- a.md
git show --name-status HEAD
git blame -w -L '/function foo/,+20' src/a.ts
git shortlog -sn --all | head
git stash list
git config --get remote.origin.url
git check-ignore -v dist
git merge-base main HEAD
git name-rev HEAD
git fsck
git worktree list
git count-objects -vH
git rev-parse --verify origin/main
git show HEAD:package.json | jq .version
git diff HEAD --name-only | xargs -I{} basename {}
[[ -f package.json ]] && echo yes
[ -d node_modules ] || echo missing
[[ "$(git rev-parse --abbrev-ref HEAD)" == main ]] && echo on main
if [[ -n "$(git status --porcelain)" ]]; then echo dirty; fi
test -x ./run.sh && echo executable
if command -v docker >/dev/null 2>&1; then echo has docker; fi
for f in src/*.ts; do [ -s "$f" ] && head -1 "$f"; done
for i in $(seq 1 5); do echo "$i"; done
for p in 3000 8080; do lsof -i :$p; done
while read -r line; do echo "${"${"}line%%:*}"; done < <(grep -n TODO src/a.ts)
n=$(wc -l < a.txt); echo "lines: $n"
arr=(a b c); echo "${"${"}#arr[@]} ${"${"}arr[1]}"
printf '%s\n' "${"${"}PATH//:/$'\n'}"
echo "${"${"}FOO:-default}"
x=5; echo $((x * 2))
date -d '2 days ago' +%F
TZ=UTC date
cal 2024
bc <<< "scale=2; 10/3"
echo "1+1" | bc -l
expr 1 + 2
seq -s, 1 10
basename -s .ts src/*.ts
realpath --relative-to=. src/a.ts
type -a python3
whereis gcc
man ls | head -30
man -k printf
tput cols
stty size
locale
getconf ARG_MAX
id -un
groups
last -5
who
w
crontab -l
systemctl status nginx
dmesg | tail
ip addr
ip -br a
ip route show
ifconfig
mount | grep ext4
findmnt
lsblk -f
lsmod | head
lspci
sysctl -a | grep vm.swappiness
getent passwd root
dpkg -l | grep openssl
dpkg -L coreutils
apt list --installed
apt-cache policy nginx
rpm -qa
brew list
top -bn1 | head -15
vmstat 1 2
iostat
nvidia-smi
tac a | head
rev a
nl -ba a.ts | sed -n 10,20p
fold -s -w 72 a.txt
fmt -w 72 a.txt
expand -t4 a
shuf -n 5 a
tsort a
cksum a
sha256sum a b
base64 a | head -c 50
iconv -f latin1 -t utf8 a
uniq -d a
tr -s ' ' < a | cut -d' ' -f2
cat a | tr '[:upper:]' '[:lower:]' | sort | uniq -c | sort -rn | head
grep -rnw --include='*.py' 'foo' . | cut -d: -f1 | sort -u
grep -Pzo '(?s)start.*?end' a
grep -rIl --exclude-dir={node_modules,.git} foo .
rg -n --multiline 'a\nb' src
rg -tpy 'def ' --stats
rg --files | rg test
rg -o -N --no-filename 'import .* from' | sort | uniq -c
ag foo
find . -type f -size +10M -exec ls -lh {} \;
find . -newermt '2024-01-01' -type f
find . -type f -printf '%T@ %p\n' | sort -n | tail -5
find . -name '*.js' -not -path '*/node_modules/*' -exec grep -l foo {} +
find . -empty
find . -type l -ls
find . -name a -o -name b | sort
tail -n +2 data.csv | cut -d, -f1
head -c 200 a.bin | xxd
less a.txt
more a.txt
pdftotext a.pdf -
pdfinfo a.pdf
xmllint --xpath '//x' a.xml
xmllint --noout a.xml
shellcheck a.sh
bash -n a.sh
pwd -P
env | sort
env | grep -i path
printenv PATH
set -e; ls; pwd
(cd sub && ls)
pushd sub && ls && popd
echo $SHELL $HOME
echo {1..5}
ls -1 | wc -l
ls -lt | head -5
ls -d */
ls **/*.ts
column -t -s, a.csv | head
grep -c '' a
cat <<< "$(ls)"
timeout 5 tail -f log
time grep -r foo src
hostname -I
sleep 2; tail -5 log
sort -t, -k2,2n a.csv | head
sort -u a | comm -12 - b
diff -u --color a b | head -40
cmp a b && echo same
git log | head -50 | grep -c commit
wc -c < a.txt
ulimit -a
ulimit -n
alias
history | tail
jobs
times
help cd
for f in $(git ls-files '*.md'); do wc -l "$f"; done
for d in */; do echo "$d: $(find "$d" -type f | wc -l)"; done
git diff --no-index a b
git log --oneline $(git merge-base main HEAD)..HEAD
git diff $(git merge-base main HEAD) --stat
tsc --version
compgen -c | head`;

/**
 * These only look too, and are asked about all the same: they run code of the project or of a toolchain that it names, talk to a
 * machine elsewhere, or take words of which nobody knows what they are before the run.
 */
const ASKED = String.raw`
ldd a.out
sqlite3 app.db ".tables"
sqlite3 -readonly app.db ".schema users"
sqlite3 -readonly -safe app.db "SELECT count(*) FROM users"
sqlite3 -readonly app.db "SELECT count(*) FROM users"
npm outdated
npm view react version
python3 -c "import sys; print(sys.version)"
python -m json.tool a.json
node -e "console.log(require('./package.json').version)"
go list ./...
go mod graph
cargo metadata --format-version 1
cargo tree
rustc --version
kubectl get pods
gh pr view 1
gh issue list
git ls-remote --heads origin
declare -A m=([a]=1 [b]=2); for k in "${"${"}!m[@]}"; do echo "$k=${"${"}m[$k]}"; done
ack foo
pygmentize a.py
ffprobe a.mp4
exiftool a.jpg
xargs -a list.txt ls`;

const lines = (text: string): string[] => text.split("\n").filter((line) => line !== "");

describe("rarer ways of looking", () => {
  it("G01 are allowed where a grammar shows that nothing changes", () => {
    expect(lines(ALLOWED).filter((command) => classifyCommand(command) !== "allow")).toEqual([]);
  });

  it("G06 are asked about where that cannot be shown, and these are few", () => {
    expect(lines(ASKED).filter((command) => classifyCommand(command) !== "ask")).toEqual([]);
    const share = lines(ALLOWED).length / (lines(ALLOWED).length + lines(ASKED).length);
    expect(share).toBeGreaterThan(0.85);
  });
});
