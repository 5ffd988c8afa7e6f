const minSeconds = 60
const maxSeconds = 86_400

/**
 * Life of a session key: 15 minutes unless asked otherwise, within a minute and a day. Old clients send milliseconds
 * here; those are clamped like any other large number.
 */
export function clampSessionSeconds(seconds = 900): number {
  return Math.min(Math.max(seconds, minSeconds), maxSeconds)
}
