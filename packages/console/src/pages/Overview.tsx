import type { AdminFigures, AdminOverview } from 'latchkey/wire'
import { useMemo, useState } from 'react'
import { type Step, useLiveOperations, useOperations, useOverview } from '../api/queries.ts'
import { toCount, toDuration, toEther, toTime } from '../format.ts'
import { Bars } from '../parts/Bars.tsx'
import { Card, Figure } from '../parts/Card.tsx'
import { Empty, Failure, Waiting } from '../parts/Notice.tsx'
import { Table } from '../parts/Table.tsx'
import { MailCard } from './Inbox.tsx'
import { LiveMark, operationColumns } from './Operations.tsx'

/** Beside the inbox there is less room. */
const shownColumns = operationColumns.filter(({ id }) => id !== 'sender' && id !== 'at')
const shownRows = 8

export function Overview({ projectId, isDevWorld }: { projectId: string; isDevWorld: boolean }) {
  const isLive = useLiveOperations(projectId)
  const [step, setStep] = useState<Step>('hour')
  const list = useOperations({ projectId })
  const overview = useOverview(projectId, step)
  const newest = list.data?.pages[0]?.items.slice(0, shownRows) ?? []
  return (
    <>
      <label className="field choice">
        Time
        <select value={step} onChange={(event) => setStep(event.target.value as Step)}>
          <option value="hour">24 hours</option>
          <option value="day">30 days</option>
        </select>
      </label>
      {overview.error ? <Failure error={overview.error} onRetry={() => void overview.refetch()} /> : null}
      {overview.data ? <Figures overview={overview.data} /> : overview.isPending && <Waiting />}
      <div className="columns">
        <Card title="Newest operations" aside={<LiveMark isLive={isLive} />}>
          <Table
            label="Newest operations"
            list={{ ...list, hasNextPage: false, data: list.data && { pages: [{ items: newest }] } }}
            columns={shownColumns}
            toKey={({ userOpHash }) => userOpHash}
            empty="No operation yet. Sign in to the wallet and press Mint."
          />
        </Card>
        {isDevWorld && <MailCard />}
        {overview.data && <Course overview={overview.data} />}
        {overview.data && <Refusals totals={overview.data.totals} />}
      </div>
    </>
  )
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const countOperations = ({ operations }: AdminFigures) => sum(Object.values(operations))

function Figures({ overview: { totals, countedFrom } }: { overview: AdminOverview }) {
  const { users, newUsers, inclusionRate, preparedToIncluded, sponsored } = totals
  const paid = sponsored.reduce((total, { wei }) => total + BigInt(wei), 0n)
  return (
    <>
      <dl className="figures">
        <Figure value={toCount(users)} name={`users, ${toCount(newUsers)} new`} />
        <Figure value={toCount(countOperations(totals))} name="operations" />
        <Figure value={inclusionRate === null ? '–' : `${(inclusionRate * 100).toFixed(1)} %`} name="included" />
        <Figure
          value={preparedToIncluded ? toDuration(preparedToIncluded.medianMs) : '–'}
          name="prepared to included, median"
        />
        <Figure value={toEther(paid)} name="gas sponsored" />
      </dl>
      {countedFrom && (
        <p className="quiet">There are more than are counted: figures are from {toTime(countedFrom)} on.</p>
      )}
    </>
  )
}

const stepSeconds = { hour: 3_600, day: 86_400 } as const

/** Operations a step, as a chart and as a table. */
function Course({ overview: { series, step } }: { overview: AdminOverview }) {
  const times = useMemo(() => series.map(({ at }) => at), [series])
  const values = useMemo(() => series.map(countOperations), [series])
  return (
    <Card title={`Operations by ${step}`}>
      {sum(values) === 0 ? (
        <Empty>None in this time.</Empty>
      ) : (
        <>
          <Bars
            label={`Operations by ${step}`}
            times={times}
            values={values}
            stepSeconds={stepSeconds[step]}
            count={series.length}
            toText={(value) => (Number.isInteger(value) ? toCount(value) : '')}
          />
          <details className="inset">
            <summary>As a table</summary>
            <table>
              <thead>
                <tr>
                  <th scope="col">From</th>
                  <th scope="col">Operations</th>
                  <th scope="col">Included</th>
                  <th scope="col">Median</th>
                </tr>
              </thead>
              <tbody>
                {series
                  .filter((figures) => countOperations(figures) > 0)
                  .map((figures) => (
                    <tr key={figures.at}>
                      <td>{toTime(figures.at)}</td>
                      <td>{toCount(countOperations(figures))}</td>
                      <td>{toCount(figures.operations.included ?? 0)}</td>
                      <td>{figures.preparedToIncluded ? toDuration(figures.preparedToIncluded.medianMs) : '–'}</td>
                    </tr>
                  ))}
              </tbody>
            </table>
          </details>
        </>
      )}
    </Card>
  )
}

function Refusals({ totals: { refusals } }: { totals: AdminFigures }) {
  return (
    <Card title="Refused by the gateway">
      {refusals.length === 0 ? (
        <Empty>Nothing was refused.</Empty>
      ) : (
        <dl className="facts">
          {refusals.map(({ code, count }) => (
            <div key={code}>
              <dt>{toCount(count)}</dt>
              <dd>{code}</dd>
            </div>
          ))}
        </dl>
      )}
    </Card>
  )
}
