def test_smoke(study, page):
    """x."""
    msgs=[]
    page.on("console", lambda m: msgs.append(m.text)); page.on("pageerror", lambda e: msgs.append(str(e)))
    try:
        page.goto(study.link("smoke"))
        page.get_by_role("button", name="Start").click()
        page.wait_for_selector("#submit")
        page.wait_for_timeout(500)
        page.screenshot(path="/tmp/a_item.png", full_page=True)
        for k in "432": page.keyboard.press(k)
        page.wait_for_timeout(300)
        page.screenshot(path="/tmp/a_item2.png", full_page=True)
        page.keyboard.press("Enter")
        page.wait_for_timeout(1500)
        page.screenshot(path="/tmp/a_item3.png", full_page=True)
        print(study.ratings(page.url))
    finally:
        page.screenshot(path="/tmp/a_last.png", full_page=True)
        print("\n".join(msgs)); print(study.log.read_text())
