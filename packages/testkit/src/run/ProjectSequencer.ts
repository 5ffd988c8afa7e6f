import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Projects of one run, in order. Projects with short tests come last, so that all workers are busy until the end. */
const order = ['plan', 'fuzz', 'pictures', 'hooks', 'compat', 'docs', 'packaging', 'page', 'service', 'module']

/**
 * Checks for files of two minutes or more, which start first. Vitest knows durations only from earlier runs on the same
 * machine.
 */
const isLong = ({ moduleId }: TestSpecification) =>
  /(?:serverRendering|strangersApp|consoleLogin|crashes\.faults)\.test\.ts$/.test(moduleId)

/**
 * Runs one project after another, each with its longest files first. A worker reuses its fixtures only within a
 * project.
 */
export class ProjectSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project }: TestSpecification) => order.indexOf(project.name)
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => rank(a) - rank(b) || Number(isLong(b)) - Number(isLong(a)))
  }
}
