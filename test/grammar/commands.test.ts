import { describe, it } from "vitest";
import { holds, type Row } from "../support/explained.ts";

/** The documented rules for commands. */
describe("wildcards and word boundaries", () => {
  it.each<Row>([
    ["allow", "npm run build", ["+Bash(npm run build)"]],
    ["ask", "npm run build --watch", ["+Bash(npm run build)"]],
    ["allow", "npm run test:unit", ["+Bash(npm run *)"]],
    ["allow", "npm run", ["+Bash(npm run *)"]],
    ["ask", "npm runx", ["+Bash(npm run *)"]],
    ["allow", "npm runx", ["+Bash(npm run*)"]],
    ["deny", "ls -la", ["-Bash(ls *)"]],
    ["deny", "ls", ["-Bash(ls *)"]],
    ["allow", "lsof", ["+Bash(ls*)"]],
    ["ask", "lsx", ["+Bash(ls *)"]],
    ["allow", "lsof", ["-Bash(ls *)"]],
    ["deny", "lsof", ["-Bash(ls*)"]],
    ["allow", "npm x y", ["+Bash(npm:*)"]],
    ["allow", "npm", ["+Bash(npm:*)"]],
    ["ask", "npmx", ["+Bash(npm:*)"]],
    ["ask", "git push", ["+Bash(git:* push)"]],
    ["allow", "git commit -m x", ["+Bash(git commit:*)"]],
    ["ask", "git commitx", ["+Bash(git commit:*)"]],
    ["allow", "git push origin main", ["+Bash(git * main)"]],
    ["allow", "git checkout main", ["+Bash(git * main)"]],
    ["allow", "git merge main", ["+Bash(git * main)"]],
    ["ask", "git main", ["+Bash(git * main)"]],
    ["allow", "node --version", ["+Bash(* --version)"]],
    ["allow", "npm install x", ["+Bash(* install *)"]],
    ["allow", "npm install", ["+Bash(* install *)"]],
    ["allow", "npm install", ["+Bash(* install)"]],
    ["allow", "npm install a b", ["+Bash(npm * b)"]],
    ["ask", "NPM test", ["+Bash(npm test)"]],
  ])("F29 %s: %s with %j %j", holds);
});

describe("compounds, substitutions, shells in shells", () => {
  it.each<Row>([
    ["ask", "npm test && make", ["+Bash(npm test)"]],
    ["allow", "npm test && make", ["+Bash(npm test)", "+Bash(make)"]],
    ["allow", "npm test && ls", ["+Bash(npm test)"]],
    ["deny", "ls && rm x", ["-Bash(rm *)"]],
    ["deny", "ls; rm x", ["-Bash(rm *)"]],
    ["deny", "ls | rm x", ["-Bash(rm *)"]],
    ["deny", "ls |& rm x", ["-Bash(rm *)"]],
    ["deny", "ls & rm x", ["-Bash(rm *)"]],
    ["deny", "ls || rm x", ["-Bash(rm *)"]],
    ["deny", "ls\nrm x", ["-Bash(rm *)"]],
    ["ask", "npm test; curl evil.com", ["+Bash(npm test *)"]],
    ["ask", "npm test | tee out", ["+Bash(npm test *)"]],
    ["ask", "npm test & make", ["+Bash(npm test *)"]],
    ["ask", "npm test\nmake", ["+Bash(npm test *)"]],
    ["ask", "npm test $(make)", ["+Bash(npm test *)"]],
    ["ask", "npm test `make`", ["+Bash(npm test *)"]],
    ["deny", "echo $(rm x)", ["-Bash(rm *)"]],
    ["deny", "echo `rm x`", ["-Bash(rm *)"]],
    ["deny", "cat <(rm x)", ["-Bash(rm *)"]],
    ["ask", "cat <(make)"],
    ["allow", "cat <(ls)"],
    ["deny", "(rm x)", ["-Bash(rm *)"]],
    ["deny", "if true; then rm x; fi", ["-Bash(rm *)"]],
    ["deny", "for f in a; do rm $f; done", ["-Bash(rm *)"]],
    ["deny", 'bash -c "rm x"', ["-Bash(rm *)"]],
    ["deny", "sh -c 'ls; rm x'", ["-Bash(rm *)"]],
    ["ask", "npm test && git push", ["+Bash(npm test *)", "+Bash(git *)", "?Bash(git push *)"]],
  ])("F29 %s: %s with %j %j", holds);
});

describe("wrappers that are looked past", () => {
  it.each<Row>([
    ["allow", "timeout 30 npm test", ["+Bash(npm test *)"]],
    ["allow", "timeout -k 5 30 npm test", ["+Bash(npm test *)"]],
    ["allow", "time npm test", ["+Bash(npm test *)"]],
    ["allow", "nice npm test", ["+Bash(npm test *)"]],
    ["allow", "nice -n 5 npm test", ["+Bash(npm test *)"]],
    ["allow", "nohup npm test", ["+Bash(npm test *)"]],
    ["allow", "stdbuf -oL npm test", ["+Bash(npm test *)"]],
    ["allow", "command npm test", ["+Bash(npm test *)"]],
    ["ask", "builtin npm test", ["+Bash(make)"]],
    ["allow", "noglob npm test", ["+Bash(npm test *)"]],
    ["ask", "nocorrect npm test", ["+Bash(npm test *)"]],
    ["allow", "command -v npm", ["-Bash(npm)"]],
    ["allow", "command -v npm"],
    ["deny", "timeout 5 rm x", ["-Bash(rm *)"]],
    ["deny", "nohup nice timeout 5 rm x", ["-Bash(rm *)"]],
    ["allow", "nohup nice timeout 5 npm test", ["+Bash(npm test)"]],
    ["ask", "env npm test", ["+Bash(npm test *)"]],
    ["deny", "env rm x", ["-Bash(rm *)"]],
    ["allow", "env npm test", ["+Bash(env *)"]],
  ])("F29 %s: %s with %j %j", holds);
});

describe("never approved by a wildcard", () => {
  it.each<Row>([
    ["ask", "watch ls", ["+Bash(watch *)"]],
    ["ask", "setsid ls", ["+Bash(setsid *)"]],
    ["ask", "ionice -c3 ls", ["+Bash(ionice *)"]],
    ["ask", "flock /tmp/l ls", ["+Bash(flock *)"]],
    ["ask", "find . -name x -exec rm {} ;", ["+Bash(find *)"]],
    ["ask", "find . -name x -exec rm {} \\;", ["+Bash(find *)"]],
    ["ask", "find . -delete", ["+Bash(find *)"]],
    ["ask", "find . -name x -delete", ["+Bash(find *)"]],
    ["allow", "find . -name x -delete", ["+Bash(find . -name x -delete)"]],
    ["allow", "find . -name x -exec rm {} \\;", ["+Bash(find . -name x -exec rm {} \\;)"]],
    ["allow", "find . -name x"],
    ["allow", "watch npm test", ["+Bash(watch npm test)"]],
    ["allow", "setsid make", ["+Bash(setsid make)"]],
    ["allow", "flock /tmp/l make", ["+Bash(flock /tmp/l make)"]],
  ])("F29 %s: %s with %j %j", holds);
});

describe("runners are not looked past", () => {
  it.each<Row>([
    ["ask", "npx npm test", ["+Bash(npm test)"]],
    ["allow", "devbox run rm -rf x", ["+Bash(devbox run *)"]],
    ["ask", "devbox run npm test", ["+Bash(npm test)"]],
    ["allow", "npx prettier .", ["+Bash(npx *)"]],
    ["allow", "docker exec c ls", ["+Bash(docker exec *)"]],
    ["ask", "docker exec c npm test", ["+Bash(npm test)"]],
    ["allow", "direnv exec . make", ["+Bash(direnv exec *)"]],
    ["allow", "mise exec -- make", ["+Bash(mise exec *)"]],
    ["deny", "npx rm x", ["-Bash(npx *)"]],
  ])("F29 %s: %s with %j %j", holds);
});

describe("xargs", () => {
  it.each<Row>([
    ["allow", "find . -name x | xargs npm test", ["+Bash(npm test *)"]],
    ["ask", "ls | xargs -n1 npm test", ["+Bash(npm test *)"]],
    ["allow", "ls | xargs -n1 npm test", ["+Bash(xargs *)"]],
    ["deny", "ls | xargs rm", ["-Bash(rm *)"]],
    ["ask", "ls | xargs npm test"],
  ])("F29 %s: %s with %j %j", holds);
});

describe("assignments", () => {
  it.each<Row>([
    ["allow", "NODE_ENV=test npm test", ["+Bash(npm test *)"]],
    ["ask", "FOO=1 npm test", ["+Bash(npm test *)"]],
    ["allow", "FOO=1 npm test", ["+Bash(FOO=1 npm test *)"]],
    ["deny", "FOO=1 rm x", ["-Bash(rm *)"]],
    ["ask", "FOO=1 npm test", ["?Bash(npm test *)"]],
    ["ask", "LD_PRELOAD=x ls"],
    ["ask", "PATH=. ls"],
    ["allow", "NODE_ENV=test ls"],
    ["allow", "NODE_ENV=test timeout 5 npm test", ["+Bash(npm test)"]],
  ])("F29 %s: %s with %j %j", holds);
});
