/** Puts a text on the clipboard, also where a page may not use the modern way. */

export async function copyText(text: string, root: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const box = document.createElement('textarea');
    box.value = text;
    // A dialog is above everything else, and only what is in it can be selected.
    (root.querySelector('dialog') ?? root).append(box);
    box.select();
    const isCopied = document.execCommand('copy');
    box.remove();
    return isCopied;
  }
}
