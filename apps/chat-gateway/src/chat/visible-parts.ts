import type { UIMessageChunk } from 'ai';
import { offeredFields } from './demo-tool.ts';
import { demoToolName } from './instructions.ts';

/**
 * What of a model's answer its visitor gets to see: text, and one offer of a demo. Whatever else a model or its provider
 * sends stays here: reasoning, sources of its own, files, other tools, metadata.
 */
export class VisibleParts {
  text = '';
  hasOffer = false;
  /** The text part that has begun and not ended. */
  openText: string | undefined;

  /** True if nothing of the answer is visible. */
  get isEmpty(): boolean {
    return !this.hasOffer && this.text.trim() === '';
  }

  /** The part as it may leave; undefined for one that may not. */
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
      // Input that is no JSON: the form is shown all the same, empty.
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
