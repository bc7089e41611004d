/** An icon of a server or of one of its tools, prompts or resources. The address is untrusted: nobody fetches it without asking. */
export interface Icon {
  readonly src: string;
  readonly mediaType?: string;
  readonly sizes?: readonly string[];
}

/** Most icons stored per item, and most characters of an address: addresses of small icons contain the icon. */
const MOST_ICONS = 4;
const SRC_CHARS = 16_384;

/** Media types that cannot carry a script. */
const HARMLESS = /^(?:https:\/\/|data:image\/(?:png|jpeg|webp|gif);base64,)/;

/** The icons of a definition that are safe to show. Others are decoration, so they are dropped silently. */
export function iconsOf(given: unknown): readonly Icon[] {
  if (!Array.isArray(given)) return [];
  return given
    .flatMap((icon: unknown): Icon[] => {
      const { src, mimeType, sizes } = (icon ?? {}) as Readonly<Record<string, unknown>>;
      if (typeof src !== "string" || src.length > SRC_CHARS || !HARMLESS.test(src)) return [];
      const all = Array.isArray(sizes) ? sizes.filter((size) => typeof size === "string").slice(0, 8) : [];
      return [
        {
          src,
          ...(typeof mimeType === "string" ? { mediaType: mimeType } : {}),
          ...(all.length > 0 ? { sizes: all } : {}),
        },
      ];
    })
    .slice(0, MOST_ICONS);
}
