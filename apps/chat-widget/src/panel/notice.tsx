import { type Failure, failureText } from '../chat/failure.ts';
import { useSecondsUntil } from './use-countdown.ts';
import { icons } from './icons.tsx';

interface NoticeProps {
  failure: Failure;
  onRetry: () => void;
}

/**
 * Shows why there is no answer, and a button to ask again. Screen readers do not announce the seconds, which change too
 * often.
 */
export function Notice({ failure, onRetry }: NoticeProps) {
  const seconds = useSecondsUntil(failure.kind === 'wait' ? failure.until : 0);
  return (
    <div class="notice" part="notice">
      {icons.alert}
      <p role="alert">{failureText(failure)}</p>
      {failure.kind !== 'setup' && (
        <button type="button" class="retry" disabled={seconds > 0} onClick={onRetry}>
          {seconds > 0 ? `Try again in ${seconds} s` : 'Try again'}
        </button>
      )}
    </div>
  );
}
