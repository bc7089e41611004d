import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { createRedactor } from "./index.ts";
import "../../../../test/support/seed.ts";

const redact = createRedactor();
/** Put together here, so that no scanner of repositories takes them for real ones. */
const many = (length: number, alphabet = "aB3dE6gH9") =>
  Array.from({ length }, (_, index) => alphabet[index % alphabet.length]).join("");
const SECRETS: readonly string[] = [
  `ghp_${many(36)}`,
  `github_pat_${many(40)}`,
  `glpat-${many(20)}`,
  `AKIA${many(16, "ABC123")}`,
  `sk-ant-${many(40)}`,
  `sk-${many(48)}`,
  `AIza${many(35)}`,
  `xoxb-${many(30)}`,
  `sk_live_${many(24)}`,
  `npm_${many(36)}`,
  `hf_${many(34)}`,
  `eyJ${many(20)}.eyJ${many(30)}.${many(43)}`,
  `-----BEGIN RSA PRIVATE KEY-----\n${many(64)}\n${many(20)}==\n-----END RSA PRIVATE KEY-----`,
];

describe("J09 written records hold no secrets", () => {
  it.each(SECRETS)("J09 %s", (secret) => {
    for (const text of [secret, `a ${secret} b`, `"key": "${secret}"`, `export KEY=${secret}\n`]) {
      const clean = redact(text);
      expect(clean).not.toContain(secret.split("\n")[1] ?? secret);
      expect(clean).toMatch(/\[redacted [\w ]+\]/);
    }
  });

  it("J09 only the secret of a header or an address goes", () => {
    expect(redact(`Authorization: Bearer ${many(24)}`)).toBe("Authorization: Bearer [redacted token]");
    expect(redact("curl -H 'Authorization: Basic dXNlcjpwYXNz'")).toContain("Basic [redacted password]'");
    expect(redact("postgres://me:hunter2@db.example.org/x")).toBe("postgres://me:[redacted password]@db.example.org/x");
  });

  it("J09 values of the environment's private names are removed everywhere; others stay", () => {
    const env = {
      ...{ DB_PASSWORD: "correct horse", MY_API_KEY: "$&weird/value", STRIPE_SECRET: "1234567", HOME: "/home/person" },
      ...{
        SSH_AUTH_SOCK: "/run/agent.sock",
        TOKEN_LIMIT: "100000000",
        PWD: "/home/person/work",
        KEYBOARD: "qwertzuiop",
      },
    };
    const clean = createRedactor(env)(Object.values(env).join(" | "));
    expect(clean).toBe(
      "[redacted $DB_PASSWORD] | [redacted $MY_API_KEY] | 1234567 | /home/person | /run/agent.sock | 100000000 | /home/person/work | qwertzuiop",
    );
    expect(createRedactor({ A_TOKEN: "longer-one", B_TOKEN: "longer-one-still" })("longer-one-still longer-one")).toBe(
      "[redacted $B_TOKEN] [redacted $A_TOKEN]",
    );
  });

  it("J09 ordinary text stays as it is", () => {
    const plain = [
      "sk-learn and task-force, risk-averse-people-everywhere",
      "https://example.org:8080/a@b git@github.com:me/x.git eyJust",
      "const token = await getToken(); password: string; Bearer of news",
      "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
      "AKIA hf_ npm_install ghp_short SG.x",
    ];
    for (const text of plain) expect(redact(text)).toBe(text);
  });

  it("J09 a second redaction changes no text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.constantFrom(...SECRETS), (text, secret) => {
        const clean = redact(`${text} ${secret} ${text}`);
        expect(redact(clean)).toBe(clean);
        expect(clean).not.toContain(secret);
      }),
    );
  });

  it("J09 it takes no long time for any text", () => {
    const hard = ["://", "a://a:", "-----BEGIN PRIVATE KEY-----", "eyJ.eyJ.", "sk-", "Bearer "].map((part) =>
      part.repeat(200_000 / part.length),
    );
    for (const text of hard) {
      const started = performance.now();
      redact(text);
      expect(performance.now() - started).toBeLessThan(patience(1500));
    }
  });
});
