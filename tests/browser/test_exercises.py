"""The page of exercises: found from the explorer, opened by itself, and graded."""

import pytest

pytestmark = pytest.mark.browser


def test_the_explorer_leads_to_the_exercises_and_back(explorer):
    explorer.open()
    explorer.page.click("#to-exercises")
    explorer.page.wait_for_selector("html[data-ready=exercises]")
    assert explorer.page.locator(".task").count() > 20
    explorer.page.click("text=Explorer")
    assert explorer.settled().count() > 1


def test_a_number_is_graded_and_the_solved_ones_are_counted(explorer):
    explorer.page.goto(f"{explorer.served.origin}/exercises?token={explorer.served.token}")
    explorer.page.wait_for_selector("html[data-ready=exercises]")
    assert explorer.page.url == f"{explorer.served.origin}/exercises"  # the token is out of the address
    task = explorer.page.locator(".task", has_text="Into how many regions do 5 lines")
    for answer, verdict in (("17", "false"), ("16", "true")):
        task.locator("input").fill(answer)
        task.locator("input").press("Enter")
        task.locator(f"xpath=self::*[@data-right='{verdict}']").wait_for()
    assert task.locator("output").inner_text().startswith("Right")
    assert explorer.text("#solved").startswith("1 of ")
    task.locator("input").fill("sixteen")
    task.locator("input").press("Enter")
    explorer.page.wait_for_function("() => [...document.querySelectorAll('output')].some(o => o.textContent.includes('numbers'))")
    explorer.errors.clear()  # the answer 422 is in the console


def test_without_a_token_the_page_says_what_to_do(chromium, served):
    context = chromium.new_context()
    page = context.new_page()
    answer = page.goto(f"{served.origin}/exercises")
    assert answer.status == 403 and "plica explore" in page.inner_text("body")
    answer = page.goto(f"{served.origin}/exercises?token=wrong")
    assert answer.status == 403
    context.close()


@pytest.mark.parametrize("width", [390, 1024])
def test_nothing_is_wider_than_the_screen(chromium, served, width):
    context = chromium.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    page.goto(f"{served.origin}/exercises?token={served.token}")
    page.wait_for_selector("html[data-ready=exercises]")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
