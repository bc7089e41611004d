// A process with an open browser that says so and then waits to be killed.
import { createHaft } from "../../src/app/create-haft.ts";

const [cwd = "", home = "", url = ""] = process.argv.slice(2);
const haft = await createHaft({ cwd, home, rules: { allow: ["WebBrowser"] } });
const { error } = await haft.call("WebBrowser", { action: "navigate", url });
process.stdout.write(error ? `failed ${error.message}\n` : "open\n");
setInterval(() => {}, 1000);
