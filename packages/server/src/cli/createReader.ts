import { readFileSync } from 'node:fs'
import { ServerError } from '../http/ServerError.ts'
import { settings } from './settings.ts'

export type Environment = Readonly<Record<string, string | undefined>>
export type Reader = ReturnType<typeof createReader>

/** Reads settings; what is wrong is added to `problems`. */
export function createReader(environment: Environment, problems: string[]) {
  function optional(name: keyof typeof settings): string | undefined {
    const direct = environment[name]?.trim()
    if (direct) return direct
    const file = environment[`${name}_FILE`]?.trim()
    if (!file) return undefined
    try {
      return readFileSync(file, 'utf8').trim() || undefined
    } catch {
      problems.push(`${name}_FILE: the file ${file} cannot be read`)
      return undefined
    }
  }
  function required(name: keyof typeof settings): string {
    const value = optional(name)
    if (value === undefined) problems.push(`${name} is missing: ${settings[name]}`)
    return value ?? ''
  }
  return {
    optional,
    required,
    url(name: keyof typeof settings, isRequired = true): string {
      const value = isRequired ? required(name) : (optional(name) ?? '')
      if (value && !URL.canParse(value)) problems.push(`${name} is not a URL`)
      return value
    },
    integer(name: keyof typeof settings, fallback?: number): number {
      const value = fallback === undefined ? required(name) : (optional(name) ?? String(fallback))
      if (value && !/^\d{1,15}$/.test(value)) problems.push(`${name} must be a whole number`)
      return Number(value)
    },
    choice<const values extends readonly [string, ...string[]]>(
      name: keyof typeof settings,
      values: values,
    ): values[number] {
      const text = optional(name)
      const chosen = values.find((candidate) => candidate === text)
      if (text !== undefined && !chosen) problems.push(`${name} must be ${values.join(' or ')}`)
      return chosen ?? values[0]
    },
  }
}

/** All that is wrong with a configuration, in one error. */
export function incomplete(problems: readonly string[]): ServerError {
  return new ServerError(`The configuration is not complete:\n${problems.map((text) => `  - ${text}`).join('\n')}`, {
    code: 'CONFIG_INVALID',
    status: 500,
  })
}
