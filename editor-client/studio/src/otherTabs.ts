/** Tells other tabs of the browser what this one has saved. */

const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('waza-studio');

export const otherTabs = {
  tell(path: string): void {
    channel?.postMessage({ saved: path });
  },
  listen(follow: (path: string) => void): void {
    channel?.addEventListener('message', ({ data }: MessageEvent<{ saved?: unknown }>) => {
      if (typeof data?.saved === 'string') {
        follow(data.saved);
      }
    });
  },
};
