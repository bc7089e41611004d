import { expect, it } from "vitest";
import { livesOn } from "./lives-on.ts";

const of = (text: string) => livesOn([{ argv: text.split(" ") }]);

it.each(
  "vite|npx vite|npx -y vite dev|next dev|npm run dev|npm start|pnpm dev|yarn start|tail -f a.log|tail -n 5 -F a.log|tsc -w|tsc --noEmit --watch|node --watch a.js|docker compose up|docker-compose up web|nodemon a.js|webpack serve|cargo watch -x test|python3 -m http.server|python manage.py runserver|uv run uvicorn app:app|journalctl -fu nginx|jest --watch|./node_modules/.bin/vite".split(
    "|",
  ),
)("L01 goes on until it is ended: %s", (text) => {
  expect(of(text)).toBeTypeOf("string");
});

it.each(
  "vite build|npm test|npm run build|tail -n 5 a.log|tsc|jest -w 2|docker compose up -d|docker compose down|cargo test|python a.py|next build|nodemon --help|ls -f|grep -w a b|rm -f a".split(
    "|",
  ),
)("L01 ends by itself, or nothing is known: %s", (text) => {
  expect(of(text)).toBeUndefined();
});
