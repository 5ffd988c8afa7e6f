/** Links of a mail: `href`s of its HTML part, then addresses in its text part. Without doubles, at most 100. */
export function findLinks(parts: { html: string; text: string }): string[] {
  const hrefs = [...parts.html.matchAll(/\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)].map((match) =>
    decodeEntities(match[1] ?? match[2] ?? ''),
  )
  const bare = [...parts.text.matchAll(/https?:\/\/[^\s<>"')\]]+/gi)].map((match) => match[0])
  return [...new Set([...hrefs, ...bare])].filter(isWebLink).slice(0, 100)
}

function isWebLink(link: string): boolean {
  return URL.canParse(link) && ['http:', 'https:'].includes(new URL(link).protocol)
}

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decodeEntities(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi, (whole, hex, decimal, name) => {
    if (name) return named[name.toLowerCase()] ?? whole
    const point = hex ? Number.parseInt(hex, 16) : Number(decimal)
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole
  })
}
