import type { UIMessageChunk } from 'ai';
import { offeredFields } from './demo-tool.ts';
import { demoToolName } from './instructions.ts';

/**
 * Selects the parts of a model's answer that the visitor sees: text, and one offer of a demo. Everything else that the
 * model or its provider sends is dropped: reasoning, the model's own sources, files, other tools and metadata.
 */
export class VisibleParts {
  text = '';
  hasOffer = false;
  /** Id of the text part that has begun but not ended. */
  openText: string | undefined;

  /** True if no part of the answer has been visible so far. */
  get isEmpty(): boolean {
    return !this.hasOffer && this.text.trim() === '';
  }

  /** Returns the part as it may be sent to the visitor; undefined if it must not be sent. */
  show(part: UIMessageChunk): UIMessageChunk | undefined {
    switch (part.type) {
      case 'start':
      case 'start-step':
      case 'finish-step':
        return { type: part.type };
      case 'text-start':
        this.openText = part.id;
        return { type: part.type, id: part.id };
      case 'text-end':
        this.openText = undefined;
        return { type: part.type, id: part.id };
      case 'text-delta':
        this.text += part.delta;
        return { type: part.type, id: part.id, delta: part.delta };
      // Shows an empty form if the model's input is not JSON.
      case 'tool-input-error':
      case 'tool-input-available':
        return part.toolName === demoToolName ? this.#offer(part) : undefined;
      case 'finish':
        return { type: part.type, ...(part.finishReason && { finishReason: part.finishReason }) };
      default:
        return undefined;
    }
  }

  #offer({ toolCallId, input }: { toolCallId: string; input: unknown }): UIMessageChunk | undefined {
    if (this.hasOffer) return undefined;
    this.hasOffer = true;
    return { type: 'tool-input-available', toolCallId, toolName: demoToolName, input: offeredFields(input) };
  }
}
