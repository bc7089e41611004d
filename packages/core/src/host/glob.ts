/** A test for paths relative to a folder: `*`, `?`, `**`, `[a-z]` and `{a,b}`. Without a slash it matches the last segment. */
export function globMatcher(pattern: string): (path: string) => boolean {
  const clean = pattern.replace(/^(?:\.?\/)+/, "");
  const source = clean.replace(/\*\*\/|\*\*|\*|\?|\{|\}|,|\[!|\\?[\s\S]/g, (part) => {
    const known: Readonly<Record<string, string>> = {
      "**/": "(?:.*/)?",
      "**": ".*",
      "*": "[^/]*",
      "?": "[^/]",
      "{": "(?:",
      "}": ")",
      ",": clean.includes("{") ? "|" : ",",
      "[!": "[^",
      "[": "[",
      "]": "]",
      "-": "-",
    };
    return known[part] ?? part.replace(/^\\/, "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  });
  const expression = compile(`^${clean.includes("/") ? "" : "(?:.*/)?"}${source}$`);
  return (path) => expression?.test(path) ?? path === pattern;
}

function compile(source: string): RegExp | undefined {
  try {
    return new RegExp(source, "s");
  } catch {
    return undefined;
  }
}
