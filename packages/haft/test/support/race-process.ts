// Runs a race in a process of its own, which may have another user or other mounts. Prints the result as JSON.
import { type RaceTask, raceAt } from "./racer.ts";

process.stdout.write(JSON.stringify(await raceAt(JSON.parse(process.argv[2] ?? "") as RaceTask)));
