import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Longest tests first, so that the short ones at the end keep all workers busy. */
const order = ['page', 'service', 'module']

/**
 * Runs one project after the other, each in Vitest's own order (the longest files of the last run first). A worker keeps
 * its worker-scoped fixtures only while the next file belongs to the same project.
 */
export class ProjectSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project }: TestSpecification) => order.indexOf(project.name)
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
