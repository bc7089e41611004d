// A mail server for tests, as much of SMTP as one message needs.

import { once } from "node:events";
import { createServer } from "node:net";

export async function mailServer() {
  const mails: string[] = [];
  const recipients: string[] = [];
  const server = createServer((socket) => {
    let data: string | undefined;
    let rest = "";
    socket.write("220 mail.test\r\n");
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      rest += chunk.toString();
      for (let end = rest.indexOf("\r\n"); end >= 0; end = rest.indexOf("\r\n")) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        if (data !== undefined && line !== ".") data += `${line}\r\n`;
        else if (data !== undefined) {
          mails.push(data);
          data = undefined;
          socket.write("250 kept\r\n");
        } else if (/^data$/i.test(line)) {
          data = "";
          socket.write("354 go on\r\n");
        } else if (/^quit$/i.test(line)) socket.end("221 bye\r\n");
        else {
          const [, to] = /^rcpt to:<(.*)>/i.exec(line) ?? [];
          if (to !== undefined) recipients.push(to);
          socket.write("250 ok\r\n");
        }
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address() as { readonly port: number };
  return {
    port: address.port,
    mails,
    recipients,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, "close");
    },
  };
}
