import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crc32, deflateSync } from 'node:zlib'
import type { Browser, Locator, Page } from 'playwright-core'
import { FixtureError } from './FixtureError.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const { resolve } = createRequire(import.meta.url)

export type Picture = { name: string; png: Buffer }

/** Largest color difference of an edge, out of 255, between rasterizers. */
const tolerance = 60
/** Share of pixels that may differ. */
const allowedShare = 0.001

/** Bundled fonts of the design, so that screenshots are the same on every machine. */
const fonts = [
  ['Inter', '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'],
  ['SF Mono', '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2'],
  // E-mails use Menlo.
  ['Menlo', '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2'],
] as const

const fontFaces = fonts
  .map(([family, path]) => {
    const data = readFileSync(resolve(path)).toString('base64')
    return `@font-face{font-family:"${family}";font-weight:100 900;src:url(data:font/woff2;base64,${data})}`
  })
  .join('')

/** Loads the fonts for screenshots. The content security policy must allow them (`bypassCSP`). */
export async function loadFonts(page: Pick<Page, 'addStyleTag' | 'evaluate'>): Promise<void> {
  await page.addStyleTag({ content: fontFaces })
  await page.evaluate(
    async (families) => {
      const loaded = families.flatMap((family) => [400, 500, 600, 700].map((weight) => `${weight} 16px "${family}"`))
      await Promise.all(loaded.map((font) => document.fonts.load(font)))
    },
    fonts.map(([family]) => family),
  )
}

type TakeOptions = {
  /** Whether to capture the whole page instead of the viewport. */
  isWhole?: boolean
  /** Elements to mask, because their content varies. */
  mask?: Locator[]
}

/** Takes a screenshot after all animations have ended. */
export async function takePicture(
  name: string,
  place: Page | Locator,
  { isWhole, mask = [] }: TakeOptions = {},
): Promise<Picture> {
  const options = { animations: 'disabled', caret: 'hide', scale: 'css', mask, maskColor: '#888888' } as const
  return {
    name,
    png: await ('goto' in place
      ? place.screenshot({ ...options, fullPage: isWhole ?? false })
      : place.screenshot(options)),
  }
}

/**
 * Returns the names of screenshots that differ from the reviewed sheet at `path`, which is relative to the repository.
 * Saves a differing sheet in `.cache/pictures`; LATCHKEY_PICTURES=write overwrites the reviewed sheet.
 */
export async function findChangedPictures(
  browser: Browser,
  path: string,
  pictures: readonly Picture[],
  columns: number,
): Promise<string[]> {
  const page = await browser.newPage()
  try {
    const place = join(root, path)
    const isWritten = process.env.LATCHKEY_PICTURES === 'write'
    if (!isWritten && !existsSync(place))
      throw new FixtureError(`${path} is missing: LATCHKEY_PICTURES=write makes it.`)
    const before = isWritten ? null : readFileSync(place).toString('base64')
    const now = pictures.map(({ png }) => png.toString('base64'))
    const { sheet, changed } = await page.evaluate(drawSheet, { now, before, columns, tolerance, allowedShare })
    const names = changed.map((index) => pictures[index]?.name ?? '')
    if (sheet) {
      const target = isWritten ? place : join(root, '.cache/pictures', basename(dirname(path)), basename(path))
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, encodePng(sheet))
    }
    return names
  } finally {
    await page.close()
  }
}

type Indexed = { width: number; height: number; palette: number[][]; rows: string }

/**
 * Encodes a PNG with 256 colors (ISO 15948), a quarter of the size of the browser's PNG. `rows` is base64; each row
 * starts with its filter byte.
 */
function encodePng({ width, height, palette, rows }: Indexed): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    check.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, check])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Color type 3: eight-bit indexes into the palette.
  header.set([8, 3], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(Buffer.from(rows, 'base64'), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

type Sheet = { now: string[]; before: string | null; columns: number; tolerance: number; allowedShare: number }

/** Draws and compares a sheet. Runs in the browser, which decodes and encodes the images. */
async function drawSheet({ now, before, columns, tolerance, allowedShare }: Sheet) {
  const gap = 16
  const decode = async (png: string) => {
    const image = new Image()
    image.src = `data:image/png;base64,${png}`
    await image.decode()
    return image
  }
  const images = await Promise.all(now.map(decode))
  const width = Math.max(...images.map((image) => image.width))
  const boxes: { x: number; y: number; width: number; height: number }[] = []
  let y = gap
  for (let first = 0; first < images.length; first += columns) {
    const row = images.slice(first, first + columns)
    for (const [index, image] of row.entries())
      boxes.push({ x: gap + index * (width + gap), y, width: image.width, height: image.height })
    y += Math.max(...row.map((image) => image.height)) + gap
  }
  const paint = (draw: (context: CanvasRenderingContext2D) => void) => {
    const canvas = document.createElement('canvas')
    canvas.width = gap + Math.min(columns, images.length) * (width + gap)
    canvas.height = y
    const context = canvas.getContext('2d') as CanvasRenderingContext2D
    draw(context)
    return { canvas, context }
  }
  const present = paint((context) => {
    context.fillStyle = '#888'
    context.fillRect(0, 0, context.canvas.width, context.canvas.height)
    for (const [index, image] of images.entries()) context.drawImage(image, boxes[index]?.x ?? 0, boxes[index]?.y ?? 0)
  })
  /** Reduces an image to its most frequent colors. Replaces each other color by the closest of them. */
  const toIndexed = ({ canvas, context }: typeof present) => {
    const { width, height } = canvas
    const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer)
    const counts = new Map<number, number>()
    for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1)
    const palette = [...counts]
      .sort(([, one], [, other]) => other - one)
      .slice(0, 256)
      .map(([colour]) => [colour & 255, (colour >> 8) & 255, (colour >> 16) & 255])
    const indices = new Map<number, number>()
    for (const colour of counts.keys()) {
      const distances = palette.map((known) =>
        known.reduce((sum, part, index) => sum + (part - ((colour >> (8 * index)) & 255)) ** 2, 0),
      )
      indices.set(colour, distances.indexOf(Math.min(...distances)))
    }
    let rows = ''
    for (let row = 0; row < height; row++) {
      rows += '\0'
      for (let at = row * width; at < (row + 1) * width; at++)
        rows += String.fromCharCode(indices.get(pixels[at] ?? 0) ?? 0)
    }
    return { width, height, palette, rows: btoa(rows) }
  }
  if (before === null) return { sheet: toIndexed(present), changed: [] }
  const known = await decode(before)
  const isOfOneSize = known.width === present.canvas.width && known.height === present.canvas.height
  const past = paint((context) => context.drawImage(known, 0, 0))
  const isChanged = ({ x, y, width, height }: (typeof boxes)[number]) => {
    const one = present.context.getImageData(x, y, width, height).data
    const other = past.context.getImageData(x, y, width, height).data
    let pixels = 0
    for (let at = 0; at < one.length; at += 4)
      if ([0, 1, 2].some((part) => Math.abs((one[at + part] ?? 0) - (other[at + part] ?? 0)) > tolerance)) pixels++
    return pixels > width * height * allowedShare
  }
  const changed = boxes.flatMap((box, index) => (!isOfOneSize || isChanged(box) ? [index] : []))
  return { sheet: changed.length > 0 ? toIndexed(present) : null, changed }
}
