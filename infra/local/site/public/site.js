// A button with a question asks it in the chat, as soon as the chat's script is loaded.
const chat = document.querySelector('relata-chat');

async function ask({ currentTarget: { dataset } }) {
  await customElements.whenDefined('relata-chat');
  chat.ask(dataset.ask);
}

for (const button of document.querySelectorAll('[data-ask]')) {
  button.addEventListener('click', (event) => void ask(event));
}
