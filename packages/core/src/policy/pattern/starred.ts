/**
 * Whether a text fits a row of tokens: the star matches any characters, each other token matches one. Greedy, with one
 * place to backtrack to: the last star. Takes at most the product of the lengths, whatever the input.
 */
export function fitsStarred<Token>(
  tokens: ArrayLike<Token>,
  text: string,
  star: Token,
  fits: (token: Token, character: string) => boolean,
): boolean {
  let token = 0;
  let at = 0;
  let lastStar = -1;
  let resumeAt = 0;
  while (at < text.length) {
    const wanted = tokens[token];
    if (wanted === star) {
      lastStar = token++;
      resumeAt = at;
    } else if (wanted !== undefined && fits(wanted, text[at] ?? "")) {
      token++;
      at++;
    } else if (lastStar >= 0) {
      token = lastStar + 1;
      at = ++resumeAt;
    } else return false;
  }
  while (tokens[token] === star) token++;
  return token === tokens.length;
}
