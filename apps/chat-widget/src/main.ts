import { RelataChat } from './element.tsx';

// If a page loads the script twice, the first definition stays.
if (!customElements.get('relata-chat')) customElements.define('relata-chat', RelataChat);
