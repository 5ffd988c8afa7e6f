import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { configInvalid } from '../platform/errors/ServerError.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export type Reader = {
  /** Passes the validated settings to `use`. Records the mistakes and returns undefined if a setting is invalid. */
  read<schema extends z.ZodObject, result>(
    schema: schema,
    use: (values: z.output<schema>) => result,
  ): result | undefined
  /** Reads a setting whose name comes from the configuration, such as a webhook secret. */
  readText(name: string): string | undefined
  /** Records a mistake, which `settle` reports. */
  report(problem: string): void
  /**
   * Returns the value if all settings were valid.
   * @throws `CONFIG_INVALID` that lists all mistakes
   */
  settle<value>(value: value | false | undefined): value
}

/** Returns the variable that sets a setting: `NAME_FILE` if only that variable is set. */
export function usedName(environment: Environment, name: string): string {
  const file = `${name}_FILE`
  return !environment[name]?.trim() && environment[file]?.trim() ? file : name
}

/**
 * Creates a reader of settings from environment variables and the files they refer to. The reader collects all
 * mistakes.
 */
export function createReader(environment: Environment): Reader {
  const problems = new Set<string>()

  function readText(name: string): string | undefined {
    const direct = environment[name]?.trim()
    if (direct) return direct
    const file = environment[`${name}_FILE`]?.trim()
    if (!file) return undefined
    try {
      return readFileSync(file, 'utf8').trim() || undefined
    } catch {
      problems.add(`${name}_FILE: the file ${file} cannot be read`)
      return undefined
    }
  }

  /** Formats a setting's name for a message, with the variable that set it if the two differ. */
  function source(name: string): string {
    const used = usedName(environment, name)
    return used === name ? name : `${name} (from ${used})`
  }

  return {
    readText,
    read(schema, use) {
      const names = Object.keys(schema.shape)
      const texts = Object.fromEntries(names.map((name) => [name, readText(name)]))
      const parsed = schema.safeParse(texts)
      if (parsed.success) return use(parsed.data)
      for (const { path, message } of parsed.error.issues) {
        const name = String(path[0])
        problems.add(
          texts[name] === undefined
            ? `${name} is missing: ${describe(schema.shape[name])}`
            : `${source(name)}${message}`,
        )
      }
      return undefined
    },
    report: (problem) => problems.add(problem),
    settle(value) {
      if (value && problems.size === 0) return value
      const list = [...problems].map((problem) => `  - ${problem}`).join('\n')
      throw configInvalid(`The configuration is not complete:\n${list}`)
    },
  }
}

/**
 * Returns a setting's description from the table. It also applies to settings that are optional in the table but
 * required here.
 */
function describe(setting: z.core.$ZodType | undefined): string | undefined {
  const described = setting instanceof z.ZodNonOptional ? setting.unwrap() : setting
  return described && z.globalRegistry.get(described)?.description
}
