/**
 * Whether a text fits a row of tokens in which one, the star, stands for any characters and each other for one. Greedy,
 * with one place to go back to: the last star. Time is the product of the lengths at most, whatever the input.
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
