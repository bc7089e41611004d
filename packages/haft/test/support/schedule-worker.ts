// A host of schedules that begins what is due and then does nothing, until it is killed.
import { openSchedules } from "@haft/service";

const store = await openSchedules({ root: process.argv[2] ?? "" });
store.begin(Date.now(), 60_000);
process.send?.("begun");
setInterval(() => {}, 1000);
