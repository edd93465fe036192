import { Button } from '../controls/button.tsx';
import { Frame } from './dialog-frame.tsx';

export default function Discard({ onStay, onDiscard }: { onStay: () => void; onDiscard: () => void }) {
  return (
    <Frame
      isAlert
      onClose={onStay}
      title="Discard your changes?"
      actions={
        <>
          <Button onClick={onStay}>Keep editing</Button>
          <Button variant="danger" onClick={onDiscard}>
            Discard
          </Button>
        </>
      }
    >
      <p>Your input has not been saved.</p>
    </Frame>
  );
}
