import { marked, type Token, type Tokens } from "marked";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { clean } from "./bits.tsx";
import { Code } from "./code.tsx";

/** Text above this length is shown as it is. */
const MOST_CHARS = 200_000;

/**
 * Markdown as elements of the page. HTML in it is shown as text, and images as links: nothing in a text of a model may
 * load or run anything.
 */
export function Markdown({ text }: { readonly text: string }) {
  const tokens = useMemo(() => (text.length > MOST_CHARS ? undefined : marked.lexer(text)), [text]);
  if (!tokens) return <pre class="plain">{clean(text)}</pre>;
  return <div class="markdown">{blocks(tokens)}</div>;
}

const blocks = (tokens: readonly Token[] = []): ComponentChildren =>
  tokens.map((token, at) => <Block key={at} token={token} />);
const inlines = (tokens: readonly Token[] = []): ComponentChildren =>
  tokens.map((token, at) => <Inline key={at} token={token} />);

function Block({ token }: { readonly token: Token }) {
  switch (token.type) {
    case "heading": {
      // The page has its own first two levels.
      const Level = `h${Math.min(6, (token as Tokens.Heading).depth + 2)}` as "h3";
      return <Level>{inlines(token.tokens)}</Level>;
    }
    case "paragraph":
      return <p>{inlines(token.tokens)}</p>;
    case "code":
      return <Code text={(token as Tokens.Code).text} language={(token as Tokens.Code).lang ?? ""} />;
    case "blockquote":
      return <blockquote>{blocks(token.tokens)}</blockquote>;
    case "list": {
      const { ordered, items } = token as Tokens.List;
      const content = items.map((item, at) => <li key={at}>{blocks(item.tokens)}</li>);
      return ordered ? <ol>{content}</ol> : <ul>{content}</ul>;
    }
    case "table": {
      const { header, rows, align } = token as Tokens.Table;
      const alignOf = (at: number) => (align[at] == null ? {} : { style: { textAlign: align[at] } });
      return (
        <div class="table-scroll">
          <table class="plain-table">
            <thead>
              <tr>
                {header.map((cell, at) => (
                  <th key={at} {...alignOf(at)}>
                    {inlines(cell.tokens)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, at) => (
                <tr key={at}>
                  {row.map((cell, column) => (
                    <td key={column} {...alignOf(column)}>
                      {inlines(cell.tokens)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    }
    case "hr":
      return <hr />;
    case "space":
      return null;
    case "text":
      return "tokens" in token && token.tokens ? inlines(token.tokens) : clean(token.raw);
    default:
      return <p>{clean(token.raw)}</p>;
  }
}

function Inline({ token }: { readonly token: Token }) {
  switch (token.type) {
    case "strong":
      return <strong>{inlines(token.tokens)}</strong>;
    case "em":
      return <em>{inlines(token.tokens)}</em>;
    case "del":
      return <del>{inlines(token.tokens)}</del>;
    case "codespan":
      return <code>{clean(unescaped((token as Tokens.Codespan).text))}</code>;
    case "br":
      return <br />;
    case "link":
    case "image":
      return <Link token={token as Tokens.Link} />;
    case "escape":
      return <>{clean((token as Tokens.Escape).text)}</>;
    case "text":
      return "tokens" in token && token.tokens ? inlines(token.tokens) : clean(unescaped(token.raw));
    default:
      return <>{clean(token.raw)}</>;
  }
}

/** Only web addresses become links, and each shows where it leads. */
function Link({ token: { href, text } }: { readonly token: Tokens.Link }) {
  const isWeb = /^https?:\/\//i.test(href);
  if (!isWeb) return <>{clean(`${text} (${href})`)}</>;
  return (
    <a href={href} rel="noreferrer noopener" target="_blank" title={href}>
      {clean(text)}
    </a>
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};
const unescaped = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
