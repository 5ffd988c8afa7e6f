import { WaitIcon } from '../parts/Icons.tsx'
import { Message } from '../parts/Message.tsx'
import { StepBar } from '../parts/StepBar.tsx'
import { texts } from '../texts.ts'

export function EmailCompletingStep({ titleId, onClose }: { titleId: string; onClose: () => void }) {
  return (
    <>
      <StepBar onClose={onClose} />
      <Message icon={<WaitIcon size={30} />} title={texts.completingTitle} titleId={titleId}>
        <p>{texts.completingBody}</p>
      </Message>
    </>
  )
}
