// One `@`, a local part of the characters the HTML standard allows, and a host of at least two labels:
// mail to a bare host name never leaves the building.
const local = "[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}"
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const pattern = new RegExp(`^${local}@(?:${label}\\.)+${label}$`, 'i')

/** Whether `value` can be an e-mail address (HTML standard, "valid e-mail address", plus a dot in the host). */
export function isEmail(value: string): boolean {
  return value.length <= 254 && pattern.test(value) && !value.includes('..') && !/^\.|\.@/.test(value)
}
