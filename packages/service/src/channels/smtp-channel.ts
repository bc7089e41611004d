import { type ChannelDriver, fail } from "@haft/core/tool";
import { type ChannelSettings, type Environment, tokenOf } from "./settings.ts";

/** Milliseconds for the connection and for each answer. */
const TIMEOUT_MS = 20_000;

/** Mail over SMTP: `smtp://user@host:587` or `smtps://...`; the password is the channel's key. */
export function smtpChannel(name: string, settings: ChannelSettings, env: Environment): ChannelDriver {
  const { url = "", from = "haft@localhost", to, subject: usual = "Message from Haft" } = settings;
  return {
    type: "smtp",
    isFixed: false,
    ...(to === undefined ? {} : { to }),
    async send({ text, to: recipient, subject = usual }, signal) {
      const server = URL.parse(url);
      if (!server || !/^smtps?:$/.test(server.protocol))
        return fail("validation_failed", `Channel "${name}" has no SMTP address.`, 'Write "url": "smtp://host:587".');
      const { createTransport } = await import("nodemailer");
      const pass = tokenOf(name, settings, env);
      const transport = createTransport({
        host: server.hostname,
        port: Number(server.port) || (server.protocol === "smtps:" ? 465 : 587),
        secure: server.protocol === "smtps:",
        ...(server.username && pass !== undefined
          ? { auth: { user: decodeURIComponent(server.username), pass }, requireTLS: server.protocol === "smtp:" }
          : {}),
        ...{ connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS },
        // A message names no files and no addresses to load from.
        ...{ disableFileAccess: true, disableUrlAccess: true },
      });
      const stop = () => transport.close();
      signal?.addEventListener("abort", stop, { once: true });
      try {
        const sent = await transport.sendMail({ from, to: recipient, subject: subject.replace(/\s+/g, " "), text });
        return { parts: 1, id: sent.messageId };
      } catch (thrown) {
        signal?.throwIfAborted();
        const { responseCode, code } = thrown as { readonly responseCode?: number; readonly code?: string };
        const why = responseCode === undefined ? (code ?? "no connection") : `status ${responseCode}`;
        return fail(
          responseCode === 450 || responseCode === 451 || responseCode === 421 ? "limit_reached" : "fetch_failed",
          `Channel "${name}" did not take the mail: ${why}.`,
          code === "EAUTH" ? "Its user or key does not work." : "Check its address and the recipient.",
        );
      } finally {
        signal?.removeEventListener("abort", stop);
        transport.close();
      }
    },
  };
}
