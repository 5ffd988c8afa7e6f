import { PasskeyIcon } from '../parts/Icons.tsx'
import { texts } from '../texts.ts'
import type { PasskeyOption } from '../uiConfig.ts'

type PasskeyButtonProps = { option: PasskeyOption; isDisabled: boolean; onPress: () => void }

export function PasskeyButton({ option, isDisabled, onPress }: PasskeyButtonProps) {
  return (
    <button
      type="button"
      className="lk-button lk-button-secondary"
      disabled={isDisabled}
      // The field keeps the focus: leaving it may show a hint, which would move this button away under the press.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPress}
    >
      <PasskeyIcon />
      {option.label ?? texts.passkey}
    </button>
  )
}
